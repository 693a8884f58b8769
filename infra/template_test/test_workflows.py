"""The workflows: what they may do, and that they run code by others in the version that was looked at."""

import pathlib
import re
import subprocess
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
# the rights of jobs beyond reading the code
RIGHTS = {
    ("release.yml", "release"): {"contents": "write", "id-token": "write", "attestations": "write"},
    ("deploy.yml", "deploy"): {"contents": "read", "id-token": "write"},
}


def load(path):
    """Returns a workflow; the key "on" is a truth value in YAML 1.1."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


class WorkflowsTest(unittest.TestCase):
    def test_there_are_three(self):
        self.assertEqual([p.name for p in WORKFLOWS], ["ci.yml", "deploy.yml", "release.yml"])

    def test_actions_are_pinned_by_commit(self):
        for path in WORKFLOWS:
            for action in re.findall(r"uses: (.*)", path.read_text(encoding="utf-8")):
                with self.subTest(workflow=path.name, action=action):
                    if not action.startswith("./"):
                        self.assertRegex(action, r"^[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")

    def test_rights(self):
        for path in WORKFLOWS:
            workflow = load(path)
            self.assertEqual(workflow["permissions"], {"contents": "read"})
            self.assertNotIn("pull_request_target", workflow[True])
            for name, job in workflow["jobs"].items():
                with self.subTest(workflow=path.name, job=name):
                    self.assertEqual(job.get("permissions"), RIGHTS.get((path.name, name)))
                    self.assertTrue("timeout-minutes" in job or "uses" in job)

    def steps(self):
        for path in WORKFLOWS:
            for job in load(path)["jobs"].values():
                yield from job.get("steps", [])

    def test_no_input_is_pasted_into_a_command(self):
        for step in self.steps():
            self.assertNotIn("${{", step.get("run", ""))

    def test_no_job_keeps_githubs_token(self):
        for step in self.steps():
            if step.get("uses", "").startswith("actions/checkout@"):
                self.assertIs(step["with"]["persist-credentials"], False)

    def test_everything_that_ci_run_makes_is_made(self):
        wanted = set(re.findall(r"(?m)^\s*make ([\w-]+)", (ROOT / ".ci" / "run").read_text(encoding="utf-8")))
        self.assertGreater(len(wanted), 5)
        made = {step["run"].split()[1] for step in self.steps() if step.get("run", "").startswith("make ")}
        self.assertEqual(wanted - made, set())

    def test_commands_exist(self):
        targets = set(re.findall(r"(?m)^\.PHONY: (\S+)", (ROOT / "Makefile").read_text(encoding="utf-8")))
        for step in self.steps():
            words = step.get("run", "").split()
            if words[:1] == ["make"]:
                self.assertIn(words[1], targets)
            elif words and "/" in words[0]:
                self.assertTrue((ROOT / words[0]).is_file(), words[0])


class ReleaseNotesTest(unittest.TestCase):
    CHANGELOG = """# Changelog

## [Unreleased]

- c

## [1.2.3] - 2027-01-02

### Added

- b

## [1.2.0]

- a

## [1.1.0]
"""

    def notes(self, version):
        with tempfile.NamedTemporaryFile("w", suffix=".md") as file:
            file.write(self.CHANGELOG)
            file.flush()
            return subprocess.run(
                [ROOT / "infra" / "release_notes.sh", version, file.name], capture_output=True, text=True, check=False
            )

    def test_a_version(self):
        self.assertEqual(self.notes("v1.2.3").stdout.strip(), "### Added\n\n- b")
        self.assertEqual(self.notes("v1.2.0").stdout.strip(), "- a")

    def test_no_version(self):
        for version in ("v1.2.4", "v1.1.0", "v1"):
            with self.subTest(version=version):
                done = self.notes(version)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn("CHANGELOG.md has no section", done.stderr)


if __name__ == "__main__":
    unittest.main()
