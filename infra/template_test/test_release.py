"""The files of a release: what the console deploys is what template.yaml says, with the code of the two zips."""

import hashlib
import io
import pathlib
import re
import stat
import sys
import tempfile
import unittest
import zipfile

from cloudformation import source, transform
from samtranslator.yaml_helper import yaml_parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import release  # noqa: E402  the folder above is no package

FUNCTIONS = ("ModelsFunction", "ChatCompletionsFunction")


def packed(chat=b"chat"):
    """Returns a release of two small files."""
    with tempfile.TemporaryDirectory() as folder:
        build = pathlib.Path(folder)
        for function, data in zip(FUNCTIONS, (b"models", chat)):
            (build / function).mkdir()
            (build / function / "bootstrap").write_bytes(data)
        return release.release(build, "v1.2.3")


def transformed(template):
    """Returns what AWS SAM makes of a template with its defaults."""
    defaults = {name: str(p.get("Default", "")) for name, p in template["Parameters"].items()}
    return transform(template, defaults, "us-east-1")


class ReleaseTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = packed()
        cls.text = cls.files["template.yaml"].decode()
        cls.zips = sorted(name for name in cls.files if name.endswith(".zip"))

    def test_files(self):
        self.assertEqual(len(self.files), 5)
        self.assertRegex(" ".join(self.zips), r"^chat-completions-[0-9a-f]{12}\.zip models-[0-9a-f]{12}\.zip$")

    def test_zips_hold_one_executable(self):
        for name, want in zip(self.zips, (b"chat", b"models")):
            with self.subTest(zip=name), zipfile.ZipFile(io.BytesIO(self.files[name])) as archive:
                (entry,) = archive.infolist()
                self.assertEqual(entry.filename, "bootstrap")
                self.assertEqual(entry.external_attr >> 16, stat.S_IFREG | 0o755)
                self.assertEqual(archive.read(entry), want)

    def test_the_same_input_gives_the_same_bytes(self):
        self.assertEqual(packed(), self.files)

    def test_new_code_has_a_new_name(self):
        # CloudFormation would leave a function as it is if its code kept its name
        changed = packed(b"other")
        self.assertEqual(len(set(changed) & set(self.files)), 4)
        self.assertNotEqual(changed["template.yaml"], self.files["template.yaml"])

    def test_checksums(self):
        lines = self.files["checksums.txt"].decode().splitlines()
        self.assertEqual(len(lines), 4)
        for line in lines:
            digest, name = line.split("  ")
            self.assertEqual(digest, hashlib.sha256(self.files[name]).hexdigest())

    def test_the_functions_take_their_code_from_the_bucket(self):
        resources = transformed(yaml_parse(self.text))["Resources"]
        for function, name in zip(FUNCTIONS, reversed(self.zips)):
            with self.subTest(function=function):
                code = resources[function]["Properties"]["Code"]
                self.assertEqual(code, {"S3Bucket": {"Ref": "CodeBucket"}, "S3Key": name})

    def test_nothing_else_differs_from_the_source(self):
        mine, theirs = yaml_parse(self.text), yaml_parse(release.SOURCE.read_text(encoding="utf-8"))
        for resource in theirs["Resources"].values():
            if resource["Type"] == "AWS::Serverless::Function":
                resource["Properties"]["CodeUri"] = "s3://bucket/code.zip"
        mine, theirs = transformed(mine), transformed(theirs)
        self.assertEqual(set(mine["Parameters"]) - set(theirs["Parameters"]), {"CodeBucket"})
        del mine["Parameters"]["CodeBucket"]
        for function in FUNCTIONS:
            del mine["Resources"][function]["Properties"]["Code"]
            del theirs["Resources"][function]["Properties"]["Code"]
            del theirs["Resources"][function]["Metadata"]  # says how to build
        for section in ("Parameters", "Rules", "Conditions", "Resources", "Outputs"):
            self.assertEqual(mine[section], theirs[section])

    def test_the_console_asks_for_the_bucket_first(self):
        template = yaml_parse(self.text)
        groups = template["Metadata"]["AWS::CloudFormation::Interface"]["ParameterGroups"]
        self.assertEqual(groups[0]["Parameters"], ["CodeBucket"])
        self.assertNotIn("Default", template["Parameters"]["CodeBucket"])
        pattern = re.compile(template["Parameters"]["CodeBucket"]["AllowedPattern"])
        for name, want in (
            ("my-lab.code-1", True),
            ("s3://code", False),
            ("code/v1", False),
            ("Code", False),
            ("ab", False),
        ):
            self.assertIs(pattern.fullmatch(name) is not None, want, name)

    def test_it_is_plain_yaml(self):
        # https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-formats.html knows no aliases
        self.assertNotRegex(self.text, r"(?m)(: |- |, |\[)[&*][A-Za-z]\w*\b")
        self.assertIn("Version v1.2.3.", self.text)
        self.assertLess(len(self.text), 1_000_000)  # the limit for a template in a bucket, where the console puts it

    def test_the_source_is_left_as_it_is(self):
        self.assertNotIn("CodeBucket", source()["Parameters"])


if __name__ == "__main__":
    unittest.main()
