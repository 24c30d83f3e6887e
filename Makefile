# SPDX-License-Identifier: MIT
# Two commands do everything on a fresh Debian with Swift: `make demo` and `make test`. Both install what is missing.

.PHONY: demo test bench setup format

demo: setup
	swift build --configuration release
	"$$(swift build --configuration release --show-bin-path)/pipebus" demo $(DEMO)

test: setup
	sh Scripts/test.sh

bench: setup
	@sh Scripts/bench.sh $(BENCH)

setup:
	@sh Scripts/setup.sh

format:
	swift format --in-place --recursive Package.swift Sources Tests Examples Benchmarks/Package.swift Benchmarks/Sources
