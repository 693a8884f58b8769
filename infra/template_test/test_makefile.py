"""The Makefile's help, and that the documents name no target that is not there."""

import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIDEST = 90  # characters of a line of help


def rules():
    """Returns the Makefile's targets that have a sentence for the help, with it."""
    return dict(re.findall(r"(?m)^([a-z-]+):.*?## (.+)$", (ROOT / "Makefile").read_text(encoding="utf-8")))


class HelpTest(unittest.TestCase):
    def setUp(self):
        self.help = subprocess.run(["make", "--no-print-directory", "help"], cwd=ROOT, check=True, capture_output=True, text=True).stdout

    def test_is_grouped(self):
        headings = re.findall(r"(?m)^(\S.*)$", self.help)
        self.assertEqual(headings, ["Try it", "Deploy it", "Look after it", "Develop it"])

    def test_lines_are_short(self):
        for line in self.help.splitlines():
            self.assertLessEqual(len(line), WIDEST, line)

    def test_lists_every_target_once(self):
        listed = re.findall(r"(?m)^  (\S+)  +(\S.*)$", self.help)
        self.assertEqual(len(listed), len(dict(listed)))
        self.assertEqual(dict(listed), rules())
        self.assertGreater(len(listed), 30)


class DocumentsTest(unittest.TestCase):
    def test_targets_exist(self):
        targets = rules()
        found = 0
        for path in [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]:
            text = path.read_text(encoding="utf-8")
            blocks = "\n".join(re.findall(r"(?s)```sh\n(.*?)```", text))
            for name in re.findall(r"`make ([a-z-]+)", text) + re.findall(r"(?m)^\s*(?:[A-Z_]+=\S+ )*make ([a-z-]+)", blocks):
                found += 1
                with self.subTest(document=path.name):
                    self.assertIn(name, targets)
        self.assertGreater(found, 50)


if __name__ == "__main__":
    unittest.main()
