"""Checks what sam build made: executables for arm64 Linux, static, within the size targets.

usage: artifacts.py [.aws-sam/build]
"""

import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

FUNCTIONS = ("ModelsFunction", "ChatCompletionsFunction")
MAX_BINARY = 10_000_000
MAX_ZIP = 4_000_000
ELF_AARCH64 = 183
PT_INTERP = 3
BUILD_SETTINGS = ("GOARCH=arm64", "GOOS=linux", "CGO_ENABLED=0", "-trimpath=true", "-tags=lambda.norpc")


def elf_faults(data):
    """Names what keeps data from being a static ELF executable for 64-bit arm64."""
    if data[:4] != b"\x7fELF" or data[4:6] != b"\x02\x01":
        return ["it is no 64-bit little-endian ELF file"]
    faults = []
    (machine,) = struct.unpack_from("<H", data, 18)
    if machine != ELF_AARCH64:
        faults.append(f"its ELF machine is {machine}, not {ELF_AARCH64} (arm64)")
    (start,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    kinds = [struct.unpack_from("<I", data, start + i * size)[0] for i in range(count)]
    if PT_INTERP in kinds:
        faults.append("it needs a dynamic linker, which provided.al2023 may not match")
    return faults


def zip_size(folder):
    """Returns how large the folder is once zipped the way SAM does it."""
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*")):
                archive.write(path, path.relative_to(folder))
        return file.tell()


def check(folder):
    """Returns the faults of one function's folder, and prints its sizes."""
    bootstrap = folder / "bootstrap"
    if not bootstrap.is_file():
        return ["there is no bootstrap"]
    data = bootstrap.read_bytes()
    faults = elf_faults(data)
    if not os.access(bootstrap, os.X_OK):
        faults.append("bootstrap is not executable")
    others = [path.name for path in folder.iterdir() if path.name != "bootstrap"]
    if others:
        faults.append(f"the artefact holds more than bootstrap: {sorted(others)[:5]}")
    if len(data) > MAX_BINARY:
        faults.append(f"bootstrap has {len(data)} bytes, the limit is {MAX_BINARY}")
    zipped = zip_size(folder)
    if zipped > MAX_ZIP:
        faults.append(f"the zip has {zipped} bytes, the limit is {MAX_ZIP}")
    info = subprocess.run(["go", "version", "-m", bootstrap], check=True, capture_output=True, text=True).stdout.split()
    faults += [f"it was not built with {setting}" for setting in BUILD_SETTINGS if setting not in info]
    print(f"{folder.name}: bootstrap {len(data):,} bytes, zip {zipped:,} bytes")
    return faults


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".aws-sam/build")
    faults = [f"{name}: {fault}" for name in FUNCTIONS for fault in check(build / name)]
    for fault in faults:
        print(f"FAULT {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
