"""Importing this skips the test where there is no TVM."""

import support

try:
    from tvm import relay  # noqa: F401: a directory called tvm is not enough
except ImportError:
    support.skip("this Python has no TVM; tests/run --all makes one that has")
