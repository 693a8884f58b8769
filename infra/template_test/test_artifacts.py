"""The check of the build artefacts itself: it must refuse what Lambda could not run."""

import pathlib
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "test"))

import artifacts  # noqa: E402  the folder above is no package


def elf(machine, *kinds):
    """Returns the head of a 64-bit ELF file with program headers of the given kinds."""
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    header = struct.pack("<HHIQQQIHHHHHH", 2, machine, 1, 0, 64, 0, 0, 64, 56, len(kinds), 0, 0, 0)
    return ident + header + b"".join(struct.pack("<I52x", kind) for kind in kinds)


class ArtifactsTest(unittest.TestCase):
    def test_elf(self):
        for name, data, want in (
            ("static arm64", elf(artifacts.ELF_AARCH64, 1), 0),
            ("amd64", elf(62, 1), 1),
            ("dynamic arm64", elf(artifacts.ELF_AARCH64, 1, artifacts.PT_INTERP), 1),
            ("dynamic amd64", elf(62, artifacts.PT_INTERP), 2),
            ("script", b"#!/bin/sh\nexit 0\n" + bytes(64), 1),
            ("empty", b"", 1),
        ):
            with self.subTest(name=name):
                self.assertEqual(len(artifacts.elf_faults(data)), want)

    def test_missing_bootstrap(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(artifacts.check(pathlib.Path(folder)), ["there is no bootstrap"])


if __name__ == "__main__":
    unittest.main()
