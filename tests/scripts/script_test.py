"""What the tests of scripts/ share: a made-up tree, and a run of a script on it."""
import os
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class ScriptTest(unittest.TestCase):
    script = ""  # in scripts/

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = folder.name

    def write(self, path, text):
        path = os.path.join(self.tree, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    def run_script(self, *arguments, **options):
        return subprocess.run([os.path.join(ROOT, "scripts", self.script), *arguments], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, **options)

    def expect_clean(self):
        run = self.run_script(self.tree)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))

    def expect_violation(self, place, *words):
        """Exactly one violation, at `place` ("file:line"), whose line holds `words`."""
        run = self.run_script(self.tree)
        self.assertEqual(run.returncode, 1, run.stderr)
        found = [line for line in run.stderr.splitlines() if not line.startswith("scripts/")]
        self.assertEqual([line.split(": ")[0] for line in found], [place], run.stderr)
        for word in words:
            self.assertIn(word, found[0])
