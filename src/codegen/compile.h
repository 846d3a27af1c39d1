// From a Module to machine code with LLVM 19's own AMDGPU pipeline, stopping at the seams (seams.h). No product logic.
//
// Invariants: without callbacks the assembly and the object are byte for byte llc-19's for the same input and options;
// a callback that changes nothing changes nothing. compile() never ends the process (protect.h).
//
// Threads: compile() may run in several threads at once, whatever the options; nothing in LLVM is switched
// process-wide, except for -optimize-regalloc, which is set under a lock while the list of passes is made.
#pragma once

#include "codegen/module.h"
#include "codegen/seams.h"
#include "support/result.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace verilocc::codegen {

enum class Emit {
  Nothing,  ///< run up to the last seam that has a callback
  Object,   ///< relocatable ELF, as llc -filetype=obj
  Hsaco,    ///< linked by ld.lld: what the HIP runtime loads
  Assembly, ///< as llc
  Mir       ///< text, at CompileOptions::mir_point
};

/// Automatic is LLVM's choice: greedy, and fast at -O0. Fast for both halves selects LLVM's unoptimised allocation
/// pipeline (llc -optimize-regalloc=0); fast for one half only keeps the optimised one.
enum class RegAlloc { Automatic, Greedy, Basic, Fast };

/// How much LLVM's machine verifier runs. EveryPass is llc -verify-machineinstrs. Its text goes to stderr.
enum class Verify { Off, Seams, EveryPass };

struct CompileOptions {
  std::string mcpu;       ///< empty: the functions' own target-cpu
  std::string attributes; ///< "+wavefrontsize64,-xnack"
  unsigned opt_level = 3; ///< 0 to 3
  Emit emit = Emit::Object;
  SeamPoint mir_point = SeamPoint::Final;
  RegAlloc sgpr_allocator = RegAlloc::Automatic;
  RegAlloc vgpr_allocator = RegAlloc::Automatic;
  Verify verify = Verify::Off;
  /// MIR input only: the pass at which to go on ("greedy", "finalize-isel"), the first one of that name. Empty: chosen
  /// from the functions (SSA form: after finalize-isel; with vregs: at allocation; without: after allocation).
  std::string start_before;
  /// Functions whose matrix instructions shall write VGPRs. gfx90a and gfx942 have both forms, and instruction selection
  /// takes the one with AGPRs wherever a function may use more than 256 registers: these are told to stay below. Without
  /// effect on MIR, where the function says itself how many waves it wants, and where nobody has proved that it needs no
  /// AGPRs ("amdgpu-no-agpr", which clang's passes infer).
  std::set<std::string> matrix_in_vgprs = {};
  std::string linker; ///< Emit::Hsaco; empty: ld.lld-19, else ld.lld
};

/// What the AsmPrinter says of an entry function (of a callable function it says nothing; clang's
/// -Rpass-analysis=kernel-resource-usage), and for kernels of amdhsa what the metadata note adds. Valid after Object,
/// Hsaco and Assembly.
struct FunctionStatistics {
  std::string name;
  unsigned vgprs = 0, agprs = 0; ///< architectural and accumulation registers
  unsigned sgprs = 0;            ///< with VCC and other reserved ones, as LLVM counts
  unsigned vgpr_spills = 0, sgpr_spills = 0;
  unsigned scratch_bytes = 0; ///< a thread
  unsigned lds_bytes = 0;     ///< a workgroup
  unsigned waves = 0;         ///< a SIMD
  bool dynamic_stack = false;
  bool kernel = false;      ///< named by the metadata; the fields below are set only then
  unsigned total_vgprs = 0; ///< gfx90a and later: the unified file's count
  unsigned wave_size = 0;
  unsigned kernarg_bytes = 0;
  unsigned max_workgroup_size = 0;
};

/// Seconds. `seams` is not part of the others.
struct StageTimes {
  double parse = 0;    ///< module, or MIR with its functions
  double setup = 0;    ///< target machine and list of passes
  double select = 0;   ///< IR passes, selection, scheduling, up to BeforeSgpr
  double allocate = 0; ///< BeforeSgpr to AfterRewrite
  double finish = 0;   ///< AfterRewrite to Final
  double emit = 0;
  double link = 0;
  double seams = 0; ///< in callbacks
  double total() const { return parse + setup + select + allocate + finish + emit + link + seams; }
};

struct CompiledModule {
  std::string bytes; ///< object, hsaco, assembly or MIR
  std::string mcpu;  ///< without features
  std::vector<FunctionStatistics> functions;
  std::vector<std::string> warnings; ///< LLVM's, one line each
  StageTimes times;
};

enum class FailureKind {
  BadInput,        ///< the module, the options
  Unsupported,     ///< LLVM reported an error: it cannot compile this
  FatalError,      ///< LLVM gave up (report_fatal_error)
  Crash,           ///< a signal in LLVM or in a callback (also a failed assert)
  MachineVerifier, ///< the machine verifier found errors
};
const char *name(FailureKind kind);

struct Failure {
  FailureKind kind = FailureKind::BadInput;
  support::InputError error; ///< the first
  std::vector<support::InputError> more = {};
};

class [[nodiscard]] CompileResult {
public:
  CompileResult(CompiledModule value) : state(std::move(value)) {}
  CompileResult(Failure failure) : state(std::move(failure)) {}
  explicit operator bool() const { return std::holds_alternative<CompiledModule>(state); }
  CompiledModule &operator*() { return std::get<CompiledModule>(state); }
  CompiledModule *operator->() { return &std::get<CompiledModule>(state); }
  const Failure &failure() const { return std::get<Failure>(state); }

private:
  std::variant<CompiledModule, Failure> state;
};

CompileResult compile(const Module &module, const CompileOptions &options, const Seams &seams = {});

/// Parses a MIR module and calls `visit` (point: `point`; intervals and the like null) for each function in it, without
/// running any pass that changes code. MIR printed after allocation for wave32 is read too, which llc-19 cannot,
/// and so is MIR that the machine verifier rejects, unless options.verify asks for it.
std::optional<Failure> visitMir(const Module &module, const CompileOptions &options, const Seam &visit);

/// The text form of a function, with its module's IR left out, for dumps at a seam.
std::string printMir(const llvm::MachineFunction &function);

} // namespace verilocc::codegen
