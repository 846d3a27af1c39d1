// What the hardware charges for an unlucky choice of registers, one table an architecture.
//
// Every figure has a row in hardware.md (AMD's ISA references, LLVM 19's AMDGPU backend and hazard recogniser, or a
// measurement with llc 19.1.7), named beside it. Latencies are stated estimates and not hardware facts: they rank
// assignments and are never reported as cycles of a GPU. What has no row is not modelled: bank stalls on gfx908, gfx90a
// and gfx942, the issue rate of transcendentals, caches.
#pragma once

#include <string_view>

namespace verilocc::cost {

/// How the wait states after a matrix instruction are counted ("MFMA wait states").
enum class MatrixWaits : unsigned char { None, Gfx90a, Gfx942 };

struct Rules {
  /// "VGPR banks": bank = VGPR mod 4; a VALU instruction that reads k distinct VGPRs of one bank loses k - 1 cycles, at
  /// most max_bank_stalls.
  bool valu_banks = false;
  unsigned max_bank_stalls = 2;
  /// "VGPR banks", WMMA row: cycles of one, and what is added unless A, B and C/D start in three different banks.
  bool wmma_banks = false;
  unsigned wmma_cycles = 32, wmma_conflict = 2;
  /// "VGPR banks", VOPD row. A pair issues as one instruction: that cycle is saved.
  bool vopd = false;
  /// Chance that the scheduler brings a pair together: where the second could issue right after the first, and where
  /// something between has to come first. Fitted to what LLVM 19 pairs on the kernel suite (docs/cost.md).
  double pair_ready = 1, pair_apart = 0.25;
  /// Likewise where the second half writes a register that something between the two still reads or writes: it cannot
  /// move up to the first.
  double pair_held = 0.1;
  MatrixWaits matrix_waits = MatrixWaits::None;

  // One issue cycle a dword each: moves between registers, v_accvgpr_*; stack traffic besides has the memory's latency.
  double copy = 1, accum_move = 1, spill = 1, reload = 1;

  /// "Latency and reuse": stated estimates, for loads from LDS and from vector memory (reloads too).
  unsigned lds_latency = 64, vmem_latency = 350;
  /// What a cycle of a load's latency that a recent reader of its register keeps the scheduler from hiding counts, as a
  /// share of an issue cycle. Other waves hide most of it, and loads issued together wait together.
  double reuse = 1.0 / 16;
};

/// The table for a processor ("gfx1100") and a wave size. Processors of the same generation share one; an unknown one
/// gets the generic rules only (copies, spills, latencies).
const Rules &rulesFor(std::string_view arch, unsigned wave_size);

} // namespace verilocc::cost
