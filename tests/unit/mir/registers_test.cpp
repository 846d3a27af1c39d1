// The register table against LLVM's own description of the register file.
#include "testing.h"

#include "mir/register_table.h"

#include "llvm/CodeGen/TargetSubtargetInfo.h"

#include <map>
#include <set>

namespace verilocc::mir::testing {
namespace {

using problem::RegUnit;

void withRegisters(const std::function<void(const llvm::TargetRegisterInfo &, const RegisterTable &)> &visit) {
  readText(mirOf("bb.0:\n  S_ENDPGM 0\n"), "gfx90a",
           [&](const support::Result<Reading> &, llvm::MachineFunction &function) {
             const llvm::TargetRegisterInfo &tri = *function.getSubtarget().getRegisterInfo();
             visit(tri, RegisterTable::of(tri));
           });
}

/// LLVM gives some registers a number a generation; their names differ in a suffix only.
bool isGenerationAlias(llvm::StringRef name) {
  return name.contains("_gfx") || name.contains("_ci") || name.contains("_vi");
}

TEST(Registers, HaveTheNamesThatTheSpaceGivesThem) {
  withRegisters([](const llvm::TargetRegisterInfo &tri, const RegisterTable &table) {
    std::map<std::string, std::string> expected = {{"VGPR0", "v0"},           {"VGPR255", "v255"},
                                                   {"AGPR7", "a7"},           {"SGPR105", "s105"},
                                                   {"TTMP15", "ttmp15"},      {"VCC", "vcc"},
                                                   {"VCC_HI", "vcc_hi"},      {"EXEC", "exec"},
                                                   {"EXEC_LO", "exec_lo"},    {"M0", "m0"},
                                                   {"M0_gfx11plus", "m0"},    {"SCC", "scc"},
                                                   {"SGPR_NULL", "null"},     {"FLAT_SCR_vi", "flat_scr"},
                                                   {"MODE", "mode"},          {"VGPR3_VGPR4_VGPR5", "v[3:5]"},
                                                   {"SGPR8_SGPR9", "s[8:9]"}, {"AGPR4_AGPR5", "a[4:5]"},
                                                   {"VGPR9_HI16", "v9"}};
    unsigned found = 0;
    for (unsigned reg = 1; reg < tri.getNumRegs(); ++reg) {
      auto entry = expected.find(tri.getName(reg));
      if (entry == expected.end())
        continue;
      ++found;
      RegPlace place = table.place(reg);
      EXPECT_EQ(problem::tupleName(place.first, place.width), entry->second) << entry->first;
      EXPECT_EQ(place.half, entry->first == "VGPR9_HI16") << entry->first;
    }
    EXPECT_EQ(found, expected.size());
  });
}

TEST(Registers, ShareAUnitExactlyIfTheyShareADwordInLlvm) {
  withRegisters([](const llvm::TargetRegisterInfo &tri, const RegisterTable &table) {
    // By unit: the LLVM register units of the dword registers there.
    std::map<RegUnit, std::set<unsigned>> owned;
    for (const RegisterTable::Dword &dword : table.dwords()) {
      std::set<unsigned> units(tri.regunits(dword.reg).begin(), tri.regunits(dword.reg).end());
      auto [entry, is_new] = owned.try_emplace(dword.unit, units);
      if (!is_new && !isGenerationAlias(tri.getName(dword.reg))) {
        EXPECT_EQ(entry->second, units) << tri.getName(dword.reg);
      }
      entry->second.insert(units.begin(), units.end());
    }
    for (auto a = owned.begin(); a != owned.end(); ++a)
      for (auto b = std::next(a); b != owned.end(); ++b)
        for (unsigned unit : a->second)
          EXPECT_FALSE(b->second.count(unit)) << problem::unitName(a->first) << " " << problem::unitName(b->first);

    // A tuple's LLVM units lie in those of the dwords that the table says it covers.
    for (unsigned reg = 1; reg < tri.getNumRegs(); ++reg) {
      RegPlace place = table.place(reg);
      if (tri.getName(reg) == llvm::StringRef("SGPR_NULL64")) // apart from SGPR_NULL on purpose, see register_table.cpp
        continue;
      ASSERT_LE(place.first + place.width, problem::num_units) << tri.getName(reg);
      std::set<unsigned> covered;
      for (unsigned i = 0; i < place.width; ++i)
        covered.insert(owned[place.first + i].begin(), owned[place.first + i].end());
      for (unsigned unit : tri.regunits(reg))
        EXPECT_TRUE(covered.count(unit)) << tri.getName(reg);
    }
  });
}

TEST(Registers, SubRegistersLieWhereTheirIndexSays) {
  withRegisters([](const llvm::TargetRegisterInfo &tri, const RegisterTable &table) {
    unsigned checked = 0;
    for (unsigned reg = 1; reg < tri.getNumRegs(); ++reg) {
      RegPlace place = table.place(reg);
      if (!llvm::StringRef(tri.getName(reg)).starts_with("VGPR") || place.width < 2)
        continue;
      for (unsigned index = 1; index < tri.getNumSubRegIndices(); ++index) {
        llvm::MCRegister sub = tri.getSubReg(reg, index);
        if (!sub)
          continue;
        ++checked;
        LanePlace lanes = table.lanes(index);
        EXPECT_EQ(table.place(sub).first, place.first + lanes.first);
        EXPECT_EQ(table.place(sub).width, lanes.width);
        EXPECT_EQ(table.place(sub).half, lanes.half);
      }
    }
    EXPECT_GT(checked, 10000u);
  });
}

TEST(Registers, ClassesHoldTheirMembersAndNothingElse) {
  withRegisters([](const llvm::TargetRegisterInfo &tri, const RegisterTable &table) {
    for (const llvm::TargetRegisterClass *rc : tri.regclasses()) {
      problem::RegClass translated = table.classOf(*rc, tri);
      if (!translated.width)
        continue;
      std::set<RegUnit> firsts;
      for (llvm::MCPhysReg reg : *rc) {
        firsts.insert(table.place(reg).first);
        EXPECT_TRUE(translated.bases[table.place(reg).first]);
        EXPECT_EQ(table.place(table.registerAt(*rc, table.place(reg).first)).first, table.place(reg).first);
      }
      EXPECT_EQ(translated.bases.count(), firsts.size()) << translated.name;
    }
    for (const llvm::TargetRegisterClass *rc : tri.regclasses())
      if (llvm::StringRef(tri.getRegClassName(rc)) == "VReg_128_Align2") {
        problem::RegClass aligned = table.classOf(*rc, tri);
        EXPECT_EQ(aligned.width, 4);
        EXPECT_TRUE(aligned.bases[problem::first_vgpr + 2]);
        EXPECT_FALSE(aligned.bases[problem::first_vgpr + 3]);
        EXPECT_FALSE(aligned.bases[problem::first_vgpr + 254]);
        EXPECT_FALSE(table.registerAt(*rc, problem::first_vgpr + 3));
      }
  });
}

} // namespace
} // namespace verilocc::mir::testing
