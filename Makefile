# SPDX-License-Identifier: MIT
# Two commands do everything on a fresh Debian with Swift: `make demo` and `make test`. Both install missing packages.

.PHONY: demo test soak fuzz bench setup format

demo: setup
	swift build --configuration release
	"$$(swift build --configuration release --show-bin-path)/pipebus" demo $(DEMO)

test: setup
	sh Scripts/test.sh

# Ten minutes of random topologies and random faults; MINUTES takes another time. PIPEBUS_SOAK_SEED repeats a run's decisions.
soak: setup
	sh Scripts/fetch-pipewire-1.4.sh || [ $$? = 2 ]
	swift build --build-tests
	PIPEBUS_SOAK_SECONDS=$$(( $(or $(MINUTES),10) * 60 )) swift test --skip-build --filter SoakTests

# Random input for the code that reads what other processes send; SECONDS for each target, 60 unless given.
fuzz: setup
	@sh Scripts/fuzz.sh $(or $(SECONDS),60)

bench: setup
	@sh Scripts/bench.sh $(BENCH)

setup:
	@sh Scripts/setup.sh

format:
	swift format --in-place --recursive Package.swift Sources Tests Examples Benchmarks/Package.swift Benchmarks/Sources Fuzzing/Package.swift Fuzzing/Sources
