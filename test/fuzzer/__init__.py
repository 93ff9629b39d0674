# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fuzzer behind test/fuzz.py."""
