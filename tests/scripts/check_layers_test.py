"""scripts/check-layers fails on each kind of wrong edge, and only there."""
import unittest

from script_test import ScriptTest


class CheckLayers(ScriptTest):
    script = "check-layers"

    def setUp(self):
        super().setUp()
        self.write("src/support/result.h", "#include <string>\n#include <fmt/format.h>\n")
        self.write("src/problem/problem.h", '#include "support/result.h"\n')
        self.write("src/assignment/assignment.h", '#include "problem/problem.h"\n')
        self.write("src/checker/checker.cpp", '#include "assignment/assignment.h"\n#include "support/result.h"\n')
        self.write("src/checker/CMakeLists.txt", "verilocc_library(checker SOURCES checker.cpp\n"
                   "  DEPENDS verilocc_problem verilocc_assignment)\n")
        self.write("src/mir/reader.cpp", '#include "problem/problem.h"\n#include <llvm/IR/Module.h>\n')
        self.write("src/pipeline/run.cpp", '#include "mir/reader.h"\n#include "checker/checker.h"\n')
        self.write("tests/unit/mir/reader_test.cpp", '#include "llvm/IR/Module.h"\n#include "mir/reader.h"\n')
        self.write("tests/unit/checker/checker_test.cpp", '#include "interp/interp.h"\n')

    def test_allowed_edges(self):
        self.expect_clean()

    def test_edge_against_the_layers(self):
        self.write("src/problem/text.cpp", '#include "support/result.h"\n\n#include "assignment/assignment.h"\n')
        self.expect_violation("src/problem/text.cpp:3", "problem may not include assignment")

    def test_edge_that_no_chain_of_layers_reaches(self):
        self.write("src/checker/relation.h", '#include "analysis/live_ranges.h"\n')
        self.expect_violation("src/checker/relation.h:1", "checker may not include analysis", "assignment")

    def test_edge_by_a_relative_path(self):
        self.write("src/support/text.h", '#include "../problem/problem.h"\n')
        self.expect_violation("src/support/text.h:1", "support may not include problem")

    def test_table_file(self):
        self.write("src/checker/errors.def", ' # include "mir/reader.cpp"\n')
        self.expect_violation("src/checker/errors.def:1", "checker may not include mir")

    def test_tests_in_the_product(self):
        self.write("src/support/rng.h", '#include "tests/unit/mir/reader_test.cpp"\n')
        self.expect_violation("src/support/rng.h:1", "support may not include tests/")

    def test_llvm(self):
        self.write("src/analysis/pressure.cpp", '#include <vector>\n#include "llvm/ADT/BitVector.h"\n')
        self.expect_violation("src/analysis/pressure.cpp:2", "LLVM", "analysis", "codegen, mir, rewriter, validate")

    def test_llvm_in_pipeline(self):
        self.write("src/pipeline/compile.cpp", "#include <clang/Basic/Version.h>\n")
        self.expect_violation("src/pipeline/compile.cpp:1", "LLVM", "pipeline")

    def test_llvm_in_a_tool(self):
        self.write("tools/verilocc/main.cpp", '#include "llvm/Support/CommandLine.h"\n')
        self.expect_violation("tools/verilocc/main.cpp:1", "LLVM")

    def test_llvm_in_the_test_of_a_folder_without(self):
        self.write("tests/unit/checker/llvm_test.cpp", '#include "llvm/IR/Module.h"\n')
        self.expect_violation("tests/unit/checker/llvm_test.cpp:1", "LLVM", "checker")

    def test_torch(self):
        self.write("src/model/backend.cpp", "#include <torch/torch.h>\n")
        self.expect_violation("src/model/backend.cpp:1", "libtorch")

    def test_link(self):
        self.write("src/checker/CMakeLists.txt", "verilocc_library(checker SOURCES checker.cpp\n"
                   "  DEPENDS verilocc_problem\n  verilocc_interp) # not verilocc_mir\n")
        self.expect_violation("src/checker/CMakeLists.txt:3", "checker may not link interp")

    def test_folder_without_a_layer(self):
        self.write("src/utils/misc.h", "")
        self.expect_violation("src/utils:1", "layer table")

    def test_no_tree(self):
        run = self.run_script(self.tree + "/none")
        self.assertEqual((run.returncode, "no src folder" in run.stderr), (2, True))


if __name__ == "__main__":
    unittest.main()
