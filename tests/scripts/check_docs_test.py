"""scripts/check-docs finds each missing path, and takes nothing else for one."""
import unittest

from script_test import ScriptTest


class CheckDocs(ScriptTest):
    script = "check-docs"

    def setUp(self):
        super().setUp()
        self.write("src/checker/checker.h", "")
        self.write("src/checker/checker.cpp", "")
        self.write("README.md", "Run `scripts/setup --check`; see [design](docs/design.md).\n")
        self.write("scripts/setup", "")
        self.write("docs/design.md", "# Design\n")

    def test_existing_paths(self):
        self.write("docs/design.md", "`src/checker/`, `src/checker/checker.{h,cpp}`, `src/*/checker.h`, `src/checker`.\n"
                   "```\nscripts/setup # first\n```\n[up](../README.md) [away](https://example.org/docs/x.md)\n")
        self.expect_clean()

    def test_what_is_not_a_path(self):
        self.write("docs/design.md", "src/nothing without backticks; `build/release/verilocc`, `src/<folder>/x.h`, "
                   "`kernels/NAME.hip`, `http://host/docs/none.md`, `-Isrc`, `$DIR/src/x`\n")
        self.expect_clean()

    def test_missing_path(self):
        self.write("docs/design.md", "# Design\n\nSee `src/checker/relation.h`.\n")
        self.expect_violation("docs/design.md:3", "src/checker/relation.h does not exist")

    def test_missing_one_of_two(self):
        self.write("docs/design.md", "`src/checker/checker.{h,def}`\n")
        self.expect_violation("docs/design.md:1", "src/checker/checker.def")

    def test_missing_in_a_block(self):
        self.write("README.md", "Do\n```\nscripts/demo --fast\n```\n")
        self.expect_violation("README.md:3", "scripts/demo")

    def test_missing_link(self):
        self.write("README.md", "[trust](docs/trust.md#what)\n")
        self.expect_violation("README.md:1", "docs/trust.md")


if __name__ == "__main__":
    unittest.main()
