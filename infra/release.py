"""Packs a release: a zip for each function, and a template that AWS's console deploys them with.

usage: release.py BUILD TARGET VERSION

BUILD holds a folder with a bootstrap for each function, as `make build` leaves them. TARGET gets the zips, named for
their contents, template.yaml, budget.yaml and checksums.txt. The same input gives the same bytes.
"""

import hashlib
import io
import pathlib
import stat
import sys
import zipfile

import yaml
from samtranslator.yaml_helper import yaml_parse

SOURCE = pathlib.Path(__file__).resolve().parents[1] / "template.yaml"
ZIPS = {"ModelsFunction": "models", "ChatCompletionsFunction": "chat-completions"}
# CloudFormation takes code from a bucket in the region of the stack, so everybody brings one of their own.
CODE_BUCKET = {
    "Type": "String",
    "Description": "Name of the S3 bucket, in the region of this stack, into which you uploaded the two zip files.",
    "AllowedPattern": "^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$",
    "ConstraintDescription": "must be the name of a bucket, without s3:// and without a folder",
}


class Dumper(yaml.SafeDumper):
    """Writes what CloudFormation reads: no aliases, and texts of several lines as such."""

    def ignore_aliases(self, data):
        return True


def represent_text(dumper, text):
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


Dumper.add_representer(str, represent_text)


def pack(bootstrap):
    """Returns a zip with one executable file; its time is always the same."""
    entry = zipfile.ZipInfo("bootstrap", date_time=(1980, 1, 1, 0, 0, 0))
    entry.create_system = 3  # Unix, whose file modes Lambda looks at
    entry.external_attr = (stat.S_IFREG | 0o755) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(entry, bootstrap, compresslevel=9)
    return file.getvalue()


def name_of(function, data):
    """Returns a zip's name. It changes with the contents, for CloudFormation takes the same name for the same code."""
    return f"{ZIPS[function]}-{hashlib.sha256(data).hexdigest()[:12]}.zip"


def template(keys, version):
    """Returns template.yaml with the code taken from a bucket. keys are the zips' names by function."""
    document = yaml_parse(SOURCE.read_text(encoding="utf-8"))
    document["Description"] += f" Version {version}."
    document["Parameters"] = {"CodeBucket": CODE_BUCKET} | document["Parameters"]
    groups = document["Metadata"]["AWS::CloudFormation::Interface"]["ParameterGroups"]
    groups.insert(0, {"Label": {"default": "Code"}, "Parameters": ["CodeBucket"]})
    del document["Globals"]["Function"]["CodeUri"]
    for function, key in keys.items():
        resource = document["Resources"][function]
        del resource["Metadata"]  # how sam build makes what is built already
        resource["Properties"]["CodeUri"] = {"Bucket": {"Ref": "CodeBucket"}, "Key": key}
    return yaml.dump(document, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=1_000_000)


def release(build, version):
    """Returns the files of a release, as bytes by name."""
    files, keys = {}, {}
    for function in ZIPS:
        data = pack((build / function / "bootstrap").read_bytes())
        keys[function] = name_of(function, data)
        files[keys[function]] = data
    files["template.yaml"] = template(keys, version).encode()
    files["budget.yaml"] = (SOURCE.parent / "infra" / "budget.yaml").read_bytes()
    lines = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items())]
    files["checksums.txt"] = "".join(lines).encode()
    return files


def main():
    build, target, version = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    target.mkdir(parents=True, exist_ok=True)
    for old in target.iterdir():
        old.unlink()
    for name, data in release(build, version).items():
        (target / name).write_bytes(data)
        print(f"{len(data):>9,}  {target / name}")


if __name__ == "__main__":
    main()
