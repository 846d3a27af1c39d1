"""scripts/setup against stand-ins for dpkg-query and apt-get: it installs what is missing and nothing else."""
import os
import unittest

from script_test import ROOT, ScriptTest

DPKG = """#!/bin/sh
for package; do :; done
case " $ABSENT " in *" $package "*) exit 1 ;; esac
echo installed
"""
APT = """#!/bin/sh
echo "$*" >>"$LOG"
case "$*" in *"$FAILING"*) [ -n "$FAILING" ] && { echo "E: $FAILING broke" >&2; exit 100; } ;; esac
exit 0
"""


class Setup(ScriptTest):
    script = "setup"

    def setUp(self):
        super().setUp()
        for name, text in {"dpkg-query": DPKG, "apt-get": APT, "sudo": '#!/bin/sh\nexec "$@"\n'}.items():
            self.write("bin/" + name, text)
            os.chmod(os.path.join(self.tree, "bin", name), 0o755)

    def setup_script(self, *arguments, absent="", failing=""):
        log = os.path.join(self.tree, "log")
        environment = {"PATH": os.path.join(self.tree, "bin") + ":/usr/bin:/bin", "ABSENT": absent, "LOG": log,
                       "FAILING": failing}
        run = self.run_script(*arguments, env=environment)
        if not os.path.exists(log):
            return run, []
        with open(log) as file:
            return run, file.read().splitlines()

    def test_nothing_missing(self):
        run, calls = self.setup_script()
        self.assertEqual((run.returncode, run.stdout, run.stderr, calls), (0, "", "", []))

    def test_installs_only_what_is_missing(self):
        run, calls = self.setup_script(absent="clang-19 libfmt-dev")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(calls), 2)
        self.assertTrue(calls[0].endswith(" update"))
        self.assertRegex(calls[1], r" install -y --no-install-recommends clang-19 libfmt-dev$")

    def test_training_is_asked_for(self):
        run, calls = self.setup_script(absent="libtorch-dev")
        self.assertEqual((run.returncode, calls), (0, []))
        run, calls = self.setup_script("--train", absent="libtorch-dev")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(calls[1], r" install -y --no-install-recommends libtorch-dev$")

    def test_a_dead_source_does_not_matter_by_itself(self):
        run, calls = self.setup_script(absent="clang-19", failing="update")
        self.assertEqual((run.returncode, len(calls)), (0, 2))

    def test_failure_says_what_and_why(self):
        run, _ = self.setup_script(absent="clang-19", failing="install")
        self.assertEqual(run.returncode, 1)
        self.assertIn("E: install broke", run.stderr)
        self.assertIn("could not install: clang-19", run.stderr)

    def test_check_installs_nothing(self):
        run, calls = self.setup_script("--check", absent="lld-19")
        self.assertEqual((run.returncode, run.stdout, calls), (1, "lld-19\n", []))

    def test_wrong_usage(self):
        run, calls = self.setup_script("--wat")
        self.assertEqual((run.returncode, calls), (2, []))
        self.assertIn("usage", run.stderr)

    def test_scripts_are_executable(self):
        for name in ["scripts/setup", "scripts/demo", "scripts/test", "scripts/kernels", ".ci/run"]:
            self.assertTrue(os.access(os.path.join(ROOT, name), os.X_OK), name)


if __name__ == "__main__":
    unittest.main()
