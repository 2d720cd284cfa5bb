# `make` lists what there is. Everything runs on the Node 24 of node_modules; the machine's own may be older.
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
installed := node_modules/.installed

.DEFAULT_GOAL := help
.PHONY: help demo test check generate format bench bundle kind install.yaml simulator docs control-plane explore gitops clients recorded

help: ## this list
	@awk -F ':.*## ' '/^[a-z.-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' Makefile

demo: $(installed) ## operator, simulator and samples on a local control plane, or on CLUSTER=path/to/kubeconfig
	@node tools/demo.ts $(if $(CLUSTER),--cluster "$(CLUSTER)")

test: $(installed) ## every test; the last line counts them
	@node tools/test.ts

gitops: $(installed) ## an example of every kind with Flux's kustomize-controller and with Argo CD's engine
	@node tools/gitops.ts

clients: $(installed) ## tests of the service's SDK for Python, of dnscontrol and of lego, against the simulator; fetches them once; RECORDED=folder as well
	@RECORDED="$(RECORDED)" node tools/clients.ts

recorded: $(installed) ## replays recorded traffic of the service against the simulator; RECORDED=folder
	@RECORDED="$(RECORDED)" node tools/recorded.ts

explore: $(installed) ## random lives in a world in memory; LIVES=10000 SEED=1 CAST=tenants JOBS=2 WITHOUT=forge,oddRow,tenants
	@LIVES=$(LIVES) SEED=$(SEED) CAST=$(CAST) JOBS=$(JOBS) WITHOUT=$(WITHOUT) node test/explorer/main.ts

check: $(installed) ## types, lint, format, unused code, architecture, generated files
	@node tools/check.ts

generate: $(installed) ## CRDs, RBAC, chart copies, reference and samples from the kinds; registries of kinds and of the simulator
	@node src/generate/main.ts

format: $(installed) ## rewrites sources in the project's format
	@oxfmt

bench: $(installed) ## benchmarks, with their baselines
	@node tools/bench.ts

bundle: $(installed) ## dist/: each program as one file that runs alone, and the package for npx
	@node tools/bundle.ts

kind: $(installed) ## image and chart in a cluster of kind, and the cluster tests there; needs Docker and kind
	@node tools/kind.ts

install.yaml: $(installed) ## dist/install.yaml: an installation for kubectl apply
	@node tools/install-manifest.ts

simulator: $(installed) ## the cloud's HTTP API on this machine; FLAGS="--port 8099 …", and --help says which
	@node --max-semi-space-size=4 src/simulator/main.ts $(FLAGS)

docs: $(installed) ## dist/site/: the guides as a static site; VERSION=0.1.0 BASE=/guides/ SITE=folder SOURCES=address SERVE=8100
	@node tools/docs.ts --version "$(VERSION)" --base "$(BASE)" --folder "$(SITE)" --sources "$(SOURCES)" --serve "$(SERVE)"

control-plane: $(installed) ## makes kube-apiserver, etcd and kubectl available and says where
	@node tools/control-plane.ts

$(installed): package-lock.json
	@echo "installing dependencies"
	@npm ci
	@node_modules/.bin/node -e 0 || { echo "Node 24 is missing: npm ran no install scripts; run: npm rebuild --ignore-scripts=false node" >&2; exit 1; }
	@touch $@
