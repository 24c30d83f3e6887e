#!/bin/sh
# Builds librtcheck.so: build.sh OUTPUT. CC chooses the compiler; arm64 needs clang, x86-64 takes gcc 12 as well.
set -eu
here=$(dirname "$0")
exec "${CC:-clang}" -std=c17 -O1 -g -Wall -Wextra -fPIC -shared -fno-builtin "$here"/rtcheck*.c -o "$1" -ldl
