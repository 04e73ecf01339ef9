# Short names for what CMake, ctest and scripts/ do. `make` alone lists them.
.DEFAULT_GOAL := help
.NOTPARALLEL:

CLANG_FORMAT ?= clang-format
CTEST = TILEPROOF_PTXAS=$$(scripts/find_ptxas.sh) && export TILEPROOF_PTXAS && ctest --no-tests=error --parallel $$(nproc)

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 18

demo: build  ## set up, build, then plan, prove and emit examples/gmem_smem_f32.toml
	@scripts/demo.sh examples/gmem_smem_f32.toml

check: build  ## set up, build, then run every test
	@$(CTEST) --preset release

check-all: long-tests mutants  ## the same with the long tests, then the verifier's mutants

long-tests: build
	@TILEPROOF_LONG=1; export TILEPROOF_LONG; $(CTEST) --preset release

mutants: build  ## break one condition of the verifier at a time: the tests must notice
	@cmake --build --preset release --target verifier_mutants
	@tests/flaws/run_flaws.sh build/release/tests/flaws/verifier_mutants

bench: build  ## print how long planning and proving take
	@build/release/bench/tileproof_bench

asan: setup  ## every test under the address and undefined-behaviour sanitizers
	@scripts/build.sh asan
	@$(CTEST) --preset asan

build: setup  ## set up and build build/tileproof
	@scripts/build.sh release

setup:  ## install what is missing
	@scripts/setup.sh

fuzz: setup  ## run each libFuzzer target for a minute (clang)
	@scripts/fuzz.sh 60

format:  ## clang-format every source in place
	@git ls-files -z --cached --others --exclude-standard -- '*.hpp' '*.cpp' | xargs -0 -r $(CLANG_FORMAT) -i

clean:  ## remove build/ (what the set-up put into .tools/ stays)
	@rm -rf build

.PHONY: help demo check check-all long-tests mutants bench asan fuzz build setup format clean
