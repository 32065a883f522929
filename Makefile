# The front door. Each target names a script or a CMake preset that does the work.
.DEFAULT_GOAL := help
.PHONY: help deps build run demo cluster cluster-soak test check check-watch bench soak mutants format tidy asan tsan

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

deps: ## Install the Debian packages that building and running need
	@scripts/install-deps.sh

build: deps ## Build the server and the simulated cloud into build/release/bin
	@scripts/build.sh release asyncops simcloud

run: build ## Run the server and a simulated cloud until Ctrl-C
	@scripts/run.sh

demo: build ## Show the whole story with kubectl, in under a minute
	@scripts/demo.sh

cluster: build ## Run a real Kubernetes with asyncops in it until Ctrl-C
	@scripts/install-deps.sh test
	@scripts/cluster.sh

test: ## Build everything and run every test
	@scripts/install-deps.sh test
	@scripts/build.sh release
	@ctest --preset release; code=$$?; cat build/release/tests/clients/cache/skipped/* 2>/dev/null; \
	exit $$code

check: ## Before each push: format, lint, fast tests (a minute once built)
	@scripts/check.sh

check-watch: ## The long watch check: 100 watchers, 100,000 events, 10,000 idle watches
	@scripts/install-deps.sh test
	@scripts/build.sh release asyncops
	@tests/clients/check-watch.sh build/release

bench: ## Measure against nginx and raw SQLite, and print the table
	@scripts/install-deps.sh bench
	@scripts/build.sh release
	@tests/bench/run.sh

soak: build ## 10,000 times kill -9 under load; takes an hour or two
	@python3 -B tests/integration/crash/kill_test.py build/release/bin/asyncops \
	  build/release/bin/simcloud --kills 10000

cluster-soak: build ## Ten minutes of every kind of traffic in a real Kubernetes
	@scripts/install-deps.sh test
	@SOAK_SECONDS=600 python3 -B tests/cluster/soak_test.py build/release/bin/asyncops \
	  build/release/bin/simcloud build/release/tests/clients/cache build/release/tests/cluster/soak

mutants: ## Break the engine in some thirty ways, and see that a test notices each
	@scripts/install-deps.sh test
	@scripts/mutants.sh

format: ## Format the C++ in place
	@scripts/format.sh

tidy: ## Run clang-tidy over the whole tree (unchanged files are remembered)
	@scripts/install-deps.sh check
	@scripts/tidy.py

asan: ## Run the tests under AddressSanitizer and UBSan
	@scripts/install-deps.sh test
	@scripts/build.sh asan
	@ctest --preset asan

tsan: ## Run the tests under ThreadSanitizer
	@scripts/install-deps.sh test
	@scripts/build.sh tsan
	@ctest --preset tsan
