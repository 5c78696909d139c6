SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X ujumbe/internal/server.Version=$(VERSION)
BIN := bin/ujumbe
GO_SOURCES := $(shell find cmd internal -name '*.go' -o -name '*.sql' -o -name '*.txt' -o -path '*/templates/*' -o -path '*/devidp/page/*' 2>/dev/null)
WEB_SOURCES := $(shell find web -path web/node_modules -prune -o -path web/e2e -prune -o -type f -print 2>/dev/null) internal/phone/registry.txt
# The console's build marker: its presence says that dist holds the console of these sources.
WEB_BUILT := internal/console/dist/index.html
# Started first, so that no core waits for the last of them at the end.
SLOW_TESTS := ./internal/transfer ./internal/auth ./internal/contact ./internal/server
# Pinned, so that the same lines pass everywhere.
GOLANGCI := bin/golangci-lint
GOLANGCI_VERSION := v2.8.0

.PHONY: help run build test test-go test-web e2e lint fmt bench chaos fuzz openapi tools clean

help: ## Show what can be made
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run: build ## Build all and serve at http://localhost:8080 on SQLite, in development mode
	$(BIN) serve --dev

build: $(BIN) ## Build the console and the binary, bin/ujumbe

$(BIN): $(GO_SOURCES) go.mod go.sum $(WEB_BUILT)
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o $@ ./cmd/ujumbe

$(WEB_BUILT): $(WEB_SOURCES) | web/node_modules/.package-lock.json
	cd web && npm run build
	@touch $@

web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	@touch $@

test: tools ## Run every test: both engines, race detector, console, end to end
	$(MAKE) test-web
	$(MAKE) test-go
	$(MAKE) e2e

test-go: tools ## Run the Go tests on SQLite and PostgreSQL with the race detector
	go vet ./...
	CI=true scripts/with-postgres go test -race -timeout 25m $(SLOW_TESTS) ./...

test-web: web/node_modules/.package-lock.json ## Check and test the console's sources
	cd web && npm run lint && npm test

e2e: tools build ## Use the console in a real browser against the real binary
	cd web && UJUMBE_BIN=$(CURDIR)/$(BIN) npm run e2e

lint: $(GOLANGCI) web/node_modules/.package-lock.json ## Check style, known mistakes and the arrows between packages
	$(GOLANGCI) run ./...
	cd web && npm run lint

$(GOLANGCI):
	GOBIN=$(CURDIR)/bin go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

fmt: ## Format the Go code
	gofmt -w cmd internal

bench: tools build ## Measure the hot paths against their limits, on both engines (BENCH='-only contacts': one part)
	WITH_POSTGRES_DURABLE=1 scripts/with-postgres go run ./internal/bench -bin $(BIN) $(BENCH)

chaos: tools build ## Kill nodes, stop the database and the mail server, fill the disk; then look whether anything is lost
	go run ./internal/chaos -bin $(BIN)

fuzz: ## Try every fuzz target for a minute (FUZZ_TIME=10s for less)
	scripts/fuzz

openapi: ## Write api/openapi.json anew from the routes
	go run ./cmd/ujumbe openapi > api/openapi.json.new && mv api/openapi.json.new api/openapi.json

tools: ## Install PostgreSQL and Chromium for the tests (as root on Debian), or say what is missing
	@scripts/tools

clean: ## Remove what was built, but no data
	rm -rf bin web/node_modules
	find internal/console/dist -mindepth 1 ! -name .gitkeep -delete
