# SPDX-License-Identifier: MIT
# Two commands do everything on a fresh Debian with Swift: `make demo` and `make test`. Both install missing packages.

.PHONY: demo test soak fuzz bench setup format

demo: setup
	swift build --configuration release
	"$$(swift build --configuration release --show-bin-path)/pipebus" demo $(DEMO)

test: setup
	sh Scripts/test.sh

# Ten minutes in which other apps come and go beside one that is recorded; SECONDS takes another time.
soak: setup
	swift build --build-tests
	PIPEBUS_STORM_SECONDS=$(or $(SECONDS),600) swift test --skip-build --filter StormTests

# Random input for the code that reads what other processes send; SECONDS for each target, 60 unless given.
fuzz: setup
	@sh Scripts/fuzz.sh $(or $(SECONDS),60)

bench: setup
	@sh Scripts/bench.sh $(BENCH)

setup:
	@sh Scripts/setup.sh

format:
	swift format --in-place --recursive Package.swift Sources Tests Examples Benchmarks/Package.swift Benchmarks/Sources Fuzzing/Package.swift Fuzzing/Sources
