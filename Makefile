# `make help` lists the targets.
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
FLAVOUR   ?= release
B         := build/$(FLAVOUR)

# ccache is used if installed; with it a second clone builds in a few seconds. Objects name their sources relative to the
# clone's folder, so they are the same in each. A new machine of CI has nothing in its cache, and to fill it would cost a
# tenth of the compiling.
CCACHE  := $(if $(CI),,$(if $(shell command -v ccache),ccache))
export CCACHE_NOHASHDIR := 1
# A file that is not in the cache yet is compiled without a run of the preprocessor before: the compiler names the headers
# (-MMD).
export CCACHE_DEPEND := 1
CC      := $(strip $(CCACHE) gcc)
CXX     := $(strip $(CCACHE) g++)
WARN    := -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Wvla -Wformat=2 -Wno-format-nonliteral
# Backtraces and reports of sanitizers need names and line numbers only, and the compiler takes a fifth less time for
# these than for all that gdb can show: `make FLAVOUR=asan B=build/gdb DEBUG_INFO=-g`.
DEBUG_INFO ?= $(if $(CI)$(filter-out release,$(FLAVOUR)),-g1,-g)
CFLAGS  := -std=gnu11 -O2 $(DEBUG_INFO) -fno-omit-frame-pointer -D_GNU_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE -pthread
LDFLAGS := -pthread -pie -Wl,-z,relro,-z,now -Wl,--gc-sections
# The C++ library is linked into the program, which needs little of it: each process would relocate all of the shared one.
STDCXX  := -Wl,-Bstatic -lstdc++ -Wl,-Bdynamic -static-libgcc
LIBS     = -ljansson -lsodium -lmd4c -lz $(STDCXX) -lm

SQLITE_O := $(B)/sqlite3.o
SQLITE_CFLAGS := $(CFLAGS:-g=-g1)

# Of the objects of tests. Compiling them takes longer than running them: what takes time in a test is the library.
TEST_OPT := -O1
ifeq ($(FLAVOUR),asan)
TEST_OPT := -O0
STDCXX  := -lstdc++
# A pointer that wraps around is left to the fuzz targets, which check it: it took a quarter of the compiler's time, and
# what ASan's programs do with such a pointer ASan reports.
# -Og takes a quarter less of the compiler's time than -O1, and the tests run as fast; so under TSan.
CFLAGS  := -std=gnu11 -Og $(DEBUG_INFO) -fno-omit-frame-pointer -D_GNU_SOURCE -pthread -fsanitize=address,undefined \
    -fno-sanitize=pointer-overflow -fno-sanitize-recover=undefined
LDFLAGS := -pthread -fsanitize=address,undefined
endif
ifeq ($(FLAVOUR),tsan)
STDCXX  := -lstdc++
CFLAGS  := -std=gnu11 -Og $(DEBUG_INFO) -fno-omit-frame-pointer -D_GNU_SOURCE -pthread -fsanitize=thread
LDFLAGS := -pthread -fsanitize=thread
endif
ifeq ($(FLAVOUR),fuzz)
STDCXX  := -lstdc++
CC      := $(strip $(CCACHE) clang)
CXX     := $(strip $(CCACHE) clang++)
CFLAGS  := -std=gnu11 -O1 $(DEBUG_INFO) -fno-omit-frame-pointer -D_GNU_SOURCE -pthread -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined
LDFLAGS := -pthread -fsanitize=address,undefined
endif
# gcc's warnings are errors in CI; clang, for fuzzing, has others.
ifdef CI
ifneq ($(FLAVOUR),fuzz)
WARN += -Werror
endif
endif

# SQLite is not instrumented: its tests are not ours. ASan's programs are linked with the release's object. Under TSan it
# is instrumented, because its threads share memory with ours.
ifeq ($(FLAVOUR),asan)
SQLITE_O := build/release/sqlite3.o
endif
ifeq ($(FLAVOUR),tsan)
SQLITE_CFLAGS := $(CFLAGS)
endif

SQLITE_DIR   := node_modules/better-sqlite3/deps/sqlite3
# HAVE_FDATASYNC: SQLite calls fsync() unless it is told that the system has fdatasync().
SQLITE_FLAGS := -DHAVE_FDATASYNC -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_SETLK_TIMEOUT -DSQLITE_DQS=0 -DSQLITE_THREADSAFE=2 \
    -DSQLITE_DEFAULT_MEMSTATUS=0 -DSQLITE_LIKE_DOESNT_MATCH_BLOBS -DSQLITE_OMIT_DEPRECATED -DSQLITE_OMIT_SHARED_CACHE \
    -DSQLITE_USE_ALLOCA -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_MAX_EXPR_DEPTH=100

LIB_C  := $(sort $(shell find src -name '*.c'))
LIB_CC := $(sort $(shell find src -name '*.cc'))
# SQLite and C++ first: they take longest, and nothing would run beside them at the end.
LIB_O  := $(SQLITE_O) $(LIB_CC:%.cc=$(B)/%.o) $(LIB_C:%.c=$(B)/%.o)
# The objects of the fuzz targets; the others would cost a minute of compiling.
ifeq ($(FLAVOUR),fuzz)
LIB_O := $(patsubst %.c,$(B)/%.o,$(filter src/base/% src/codec/% src/channel/telegram/% %/fcgi_input.c %/completions_request.c %/completions_messages.c %/completions_pictures.c %/models_rules.c %/searxng_read.c src/mcp/mcp_message.c src/mcp/mcp_tools.c src/mcp/mcp_content.c src/mcp/mcp_params.c src/mcp/mcp_schema.c %/import_zip.c %/import_zip_pictures.c,$(LIB_C)))
endif
LIB    := $(B)/libalfred.a
# One executable file; the other programs are links to it (cgi/alfred.c).
PROGRAM := $(B)/bin/alfred
LINKS   := pages api stream hooks helper

.PHONY: all
all: $(PROGRAM) vendor compressed ## build the programs (the default)

# Files from npm that we serve or compile. The stamp has the lock file's time, because npm's files may be newer or older
# than their targets. $(SQLITE_DIR) also comes from npm.
VENDOR := static/vendor/.stamp
HLJS   := node_modules/@highlightjs/cdn-assets
KATEX  := node_modules/katex/dist
PDF    := node_modules/unpdf/dist/pdfjs.mjs

$(VENDOR): package-lock.json Makefile | $(HLJS)/es/highlight.min.js $(KATEX)/katex.min.js $(PDF)
	@rm -rf static/vendor && mkdir -p static/vendor/katex/fonts
	cp $(HLJS)/es/highlight.min.js static/vendor/
	cp $(KATEX)/katex.min.js $(KATEX)/katex.min.css static/vendor/katex/
	cp $(KATEX)/fonts/*.woff2 static/vendor/katex/fonts/
	cp $(PDF) static/vendor/pdf.mjs
	@touch $@

$(SQLITE_DIR)/sqlite3.c $(HLJS)/es/highlight.min.js $(KATEX)/katex.min.js $(PDF):
	@echo "$@ is missing: run 'make setup' first (make run and make test do it themselves)" >&2; exit 1

.PHONY: vendor
vendor: $(VENDOR)

# The catalogue of strings: constants for base/lang.c, modules for the pages' scripts, errors of nginx. The tool runs on the building
# machine and has no sanitizer.
LANG_JSON  := $(sort $(wildcard lang/*.json))
LANG_ONCE  := build/gen/lang.inc
LANG_INC   := $(B)/gen/lang.inc
EMBED_LANG := build/embed-lang
LANG_TOOL  := $(wildcard scripts/embed-lang/*.c) src/base/lang_piece.c src/base/lang_plural.c src/base/str.c

$(EMBED_LANG): $(LANG_TOOL) scripts/embed-lang/embed_lang.h src/base/lang_piece.h src/base/lang_plural.h
	@mkdir -p $(@D)
	gcc -std=gnu11 -O1 -D_GNU_SOURCE -Wall -Wextra -Isrc $(LANG_TOOL) -ljansson -o $@

LANG_JS    := $(foreach l,$(basename $(notdir $(LANG_JSON))),static/lang/$l/texts.js static/lang/$l/texts-later.js)

# Written once for all flavours: a build of one does not touch the files that tests of another read. The time of a folder
# changes when a file is added or removed: the program must not keep the language of a branch that was left.
$(LANG_ONCE): $(LANG_JSON) lang $(EMBED_LANG)
	@mkdir -p $(@D)
	@for d in $(wildcard static/lang/*/ nginx/errors/*/); do [ -e lang/$$(basename $$d).json ] || rm -r $$d; done
	@$(EMBED_LANG) $@ static/lang nginx/errors $(LANG_JSON)
$(LANG_INC): $(LANG_ONCE)
	@mkdir -p $(@D)
	@cp $< $@
$(LANG_JS): $(LANG_ONCE)
	@[ -e $@ ] || $(EMBED_LANG) $< static/lang nginx/errors $(LANG_JSON)

$(B)/src/base/lang.o: $(LANG_INC)

# The icons as templates. Every program that loads templates needs them.
ICONS := templates/icons/.stamp
$(ICONS): static/icons/sprite.svg scripts/embed-icons
	@scripts/embed-icons $< $(@D)
	@touch $@

# ASSET_VERSION is a hash of all static files. Pages add it to addresses (?v=...), so that files may be cached for ever.
# The header keeps its time while the hash is unchanged, so that a changed style recompiles one file.
STATIC := $(shell find static -type f -not -path 'static/vendor/*' -not -path 'static/lang/*' -not -name '*.gz')
ASSETS := $(B)/gen/assets.h

$(B)/gen/assets.stamp: $(STATIC) $(VENDOR) $(LANG_INC) $(ICONS) Makefile
	@mkdir -p $(@D)
	@hash=$$(find static -type f -not -name .stamp -not -name '*.gz' | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c1-12); \
	printf '#define ASSET_VERSION "%s"\n' "$$hash" >$@.new; \
	cmp -s $@.new $(ASSETS) && rm $@.new || mv $@.new $(ASSETS)
	@touch $@

$(ASSETS): $(B)/gen/assets.stamp
	@:

# Static files compressed beside themselves, for gzip_static of nginx. PNG and WOFF2 are compressed already. A .gz
# without its source is removed: nginx would still serve it.
PACKED := $(filter %.css %.js %.svg %.webmanifest,$(STATIC)) $(LANG_JS) \
    static/vendor/highlight.min.js static/vendor/pdf.mjs static/vendor/katex/katex.min.js static/vendor/katex/katex.min.css

.PHONY: compressed
compressed: $(PACKED:=.gz)
	@rm -f $(filter-out $(PACKED:=.gz),$(wildcard static/*.gz static/*/*.gz static/*/*/*.gz))

static/%.gz: static/%
	@gzip -9nc $< >$@

static/vendor/highlight.min.js static/vendor/pdf.mjs static/vendor/katex/katex.min.js static/vendor/katex/katex.min.css: $(VENDOR)
	@:

# The migrations as C, for db_migrate.c. The folder is a prerequisite because of migrations that are removed.
MIGRATIONS := $(sort $(wildcard src/db/migrations/sqlite/*.sql))
MIGRATED   := $(B)/gen/migrations.inc

$(MIGRATED): $(MIGRATIONS) src/db/migrations/sqlite scripts/embed-migrations
	@mkdir -p $(@D)
	@scripts/embed-migrations $(MIGRATIONS) >$@

$(B)/src/db/db_migrate.o: $(MIGRATED)

# The text of the page /api.
REFERENCE := $(B)/gen/api_reference.inc

$(REFERENCE): docs/api_reference.md scripts/embed-text
	@mkdir -p $(@D)
	@scripts/embed-text $< >$@

$(B)/src/web/reference/reference_routes.o: $(REFERENCE)

# Python programs that run around the code of models.
PYTHON_INC := $(B)/gen/python_begin.inc $(B)/gen/python_folders.inc

$(PYTHON_INC): $(B)/gen/python_%.inc: src/app/python/%.py scripts/embed-text
	@mkdir -p $(@D)
	@scripts/embed-text $< >$@

$(B)/src/app/python/python_run.o $(B)/src/app/python/python_interpreter.o: $(PYTHON_INC)

# What the checks of all sources need.
GENERATED := $(ASSETS) $(LANG_INC) $(MIGRATED) $(REFERENCE) $(PYTHON_INC)
$(LIB_O): | $(ASSETS)

$(B)/src/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(WARN) -Isrc -I$(SQLITE_DIR) -I$(B)/gen -MMD -MP -c $< -o $@

$(B)/src/%.o: src/%.cc
	@mkdir -p $(@D)
	$(CXX) $(filter-out -std=gnu11,$(CFLAGS)) -std=gnu++17 -Wall -Wextra -Isrc -MMD -MP -c $< -o $@

$(SQLITE_O): $(SQLITE_DIR)/sqlite3.c package-lock.json
	@mkdir -p $(@D)
	$(CC) $(SQLITE_CFLAGS) $(SQLITE_FLAGS) -w -c $< -o $@

$(LIB): $(LIB_O)
	@rm -f $@
	ar rcs $@ $^

$(PROGRAM): cgi/alfred.c $(LIB)
	@mkdir -p $(@D) $(B)/cgi
	$(CC) $(CFLAGS) $(WARN) -Isrc -I$(B)/gen -MMD -MP -MF $(B)/cgi/alfred.d $< $(LIB) $(LDFLAGS) $(LIBS) -o $@
	@for name in $(LINKS); do ln -sf alfred $(@D)/$$name || exit 1; done

# The unit tests are linked by gold, in half of the processor time of ld. The program and clang's sanitizers have ld.
TEST_LD := -fuse-ld=gold

# One test program per file of tests/unit, whose folders are those of src: cmocka, all tests of the file.
TEST_C    := $(filter-out tests/unit/unit.c,$(sort $(shell find tests/unit -name '*.c')))
TEST_BINS := $(TEST_C:tests/%.c=$(B)/tests/%)
# Under TSan: tests that start threads; crew.h starts many callers of the store.
THREADED  := $(shell grep -lE 'pthread|crew\.h"' $(TEST_C) /dev/null)
THREADED_BINS := $(THREADED:tests/%.c=$(B)/tests/%)

# Tests that differ without sanitizers. `make test` runs these in both builds, the others under ASan only.
OPTIMISED := $(shell grep -lE '__SANITIZE_' $(TEST_C) /dev/null)
OPTIMISED_BINS := $(OPTIMISED:tests/%.c=$(B)/tests/%)

# `make sanitize` builds only the threaded programs under TSan. They need no more of web than this and nothing of the
# other folders; those objects would cost a third of the compiling.
ifeq ($(FLAVOUR),tsan)
THREADED_LIB := $(B)/libthreaded.a
$(THREADED_LIB): $(filter-out $(patsubst %,$(B)/src/%/%,cli helper web app/import app/telegram channel/telegram codec/ansi),$(LIB_O)) \
    $(filter $(B)/src/web/fcgi/% $(B)/src/web/page/html_cache.o,$(LIB_O))
	@rm -f $@
	ar rcs $@ $^
endif

# Compiled and linked separately for ccache.
$(B)/tests/%.o: tests/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(TEST_OPT) $(WARN) -Isrc -Itests/unit -Itests/recall -I$(SQLITE_DIR) -I$(B)/gen -MMD -MP -c $< -o $@

LINK_TEST = $(CC) $^ $(LDFLAGS) $(TEST_LD) $(LIBS) -lcmocka -o $@

$(B)/tests/%: $(B)/tests/%.o $(B)/tests/unit/unit.o $(LIB)
	$(LINK_TEST)

# Its accounts and sign-ins are many; unit/app/account/password checks the real cost.
$(B)/tests/unit/app/account/auth: $(B)/tests/fake/quick_passwords.o

ifeq ($(FLAVOUR),tsan)
$(THREADED_BINS): $(B)/tests/%: $(B)/tests/%.o $(B)/tests/unit/unit.o $(THREADED_LIB)
	$(LINK_TEST)
endif

# Fuzz targets: LLVMFuzzerTestOneInput, linked with libFuzzer. Only under FLAVOUR=fuzz.
FUZZ_BINS    := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/fuzz/*.c))
FUZZ_SECONDS ?= 1

$(B)/tests/fuzz/%: $(B)/tests/fuzz/%.o $(LIB)
	$(CC) $< $(LIB) $(LDFLAGS) -fsanitize=fuzzer $(LIBS) -o $@

# They are kept: tests that have not changed are linked without compiling.
.SECONDARY: $(TEST_BINS:=.o) $(FUZZ_BINS:=.o)

# Loaded into the programs by the rig. Without a flavour: the sanitizers have no part in them.
PRELOADED := build/quick_passwords.so build/failing_calls.so
$(PRELOADED): build/%.so: tests/fake/%.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -D_GNU_SOURCE -O2 $(WARN) -shared -fPIC $< -o $@

# Programs in place of installed ones, for a PATH that begins with their folder.
INSTALLED := build/fake/pdftotext
$(INSTALLED): build/fake/%: tests/fake/%.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -D_GNU_SOURCE -O2 $(WARN) $< -o $@

# The load generator, the provider and the empty responder of the bench.
BENCH_BINS := $(patsubst tests/bench/%.c,$(B)/bench/%,$(wildcard tests/bench/*.c))

$(B)/bench/responder: LIBS += -lfcgi
$(B)/bench/%: tests/bench/%.c $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(WARN) -Isrc -MMD -MP -MF $@.d $< $(LIB) $(LDFLAGS) $(LIBS) -o $@

# Search quality on conversations outside of the project; RECALL_DATA is their file.
RECALL_DATA ?= ../shared/locomo-dev.json
RECALL      := $(B)/tests/recall/recall

.PHONY: recall
recall: $(RECALL) ## measure the quality of search on the data of RECALL_DATA
	@$(RECALL) $(RECALL_DATA)

RECALL_O := $(patsubst %.c,$(B)/%.o,$(wildcard tests/recall/*.c))
$(RECALL): $(RECALL_O) $(LIB)
	$(CC) $(RECALL_O) $(LIB) $(LDFLAGS) $(LIBS) -o $@

.PHONY: setup setup-test setup-check run
setup: ## install what building and running needs
	@scripts/setup run
setup-test: ## install that and what the tests need
	@scripts/setup test
setup-check: ## print what is there and what is missing, change nothing
	@scripts/setup check
run: ## install what is missing, build, start Alfred; Ctrl-C stops it
	@scripts/setup run
	@$(MAKE) --no-print-directory --silent -j$$(nproc) all
	@exec $(B)/bin/alfred serve

.PHONY: test-programs threaded-programs optimised-programs fuzz-programs measuring-programs
test-programs: $(TEST_BINS)
measuring-programs: $(BENCH_BINS) $(RECALL) $(PRELOADED)
threaded-programs: $(THREADED_BINS)
optimised-programs: $(OPTIMISED_BINS)
fuzz-programs: $(FUZZ_BINS)

.PHONY: test unit unit-threaded unit-optimised sanitize fuzz http http-asan http-rest browser shots bench
test: ## install what the tests need and run all of them
	@scripts/setup test
	@scripts/test
unit: $(TEST_BINS) ## unit and store tests of one FLAVOUR
	@scripts/unit $(TEST_BINS)
unit-threaded: $(THREADED_BINS)
	@scripts/unit $(THREADED_BINS)
unit-optimised: $(OPTIMISED_BINS)
	@scripts/unit $(OPTIMISED_BINS)
sanitize: ## unit and store tests under ASan and UBSan, the threaded ones under TSan
	@$(MAKE) --no-print-directory FLAVOUR=asan unit
	@$(MAKE) --no-print-directory FLAVOUR=tsan unit-threaded
fuzz: ## every fuzz target for FUZZ_SECONDS
ifeq ($(FLAVOUR),fuzz)
fuzz: $(FUZZ_BINS)
	@FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz $(FUZZ_BINS)
else
	@$(MAKE) --no-print-directory FLAVOUR=fuzz fuzz
endif
# First, because a missing node would otherwise be noticed after minutes; 'make test' and 'make bench' install it.
.PHONY: node-there
node-there: $(PRELOADED) $(INSTALLED)
	@scripts/node -e ''
http: ## tests that drive the real programs through nginx
	@scripts/nodetest tests/http
# The http tests that reach most code or send malicious input; all: make http-asan HTTP_ASAN=tests/http
HTTP_ASAN := $(patsubst %,tests/http/%.test.js,account/foreign api/badinput api/openapi memory/memory \
    memory/suggestions provider/badprovider provider/providers provider/strict search/search_results \
    service/failing_calls session/sessions_api summary/summaries task/tasks telegram/telegram_files tools/badtools \
    tools/context_tools tools/instructions tools/read_page tools/web_search turn/turn_sends turn/turns)
http-asan: ## http tests against programs under ASan and UBSan
	@FLAVOUR=asan scripts/nodetest $(HTTP_ASAN)
http-rest: ## the other http tests; with http-asan, `make test` runs each file once
	@scripts/nodetest $(filter-out $(HTTP_ASAN),$(wildcard tests/http/*/*.test.js))
browser: ## tests that drive the pages in Chromium
	@scripts/nodetest tests/browser
shots: node-there all ## screenshots of every page, into tests/shots
	@scripts/node tests/browser/shots.js
bench: ## install what is missing, build, measure, in one run on one machine
	@scripts/setup bench
	@$(MAKE) --no-print-directory all $(BENCH_BINS)
	@tests/bench/run

C_ALL     := $(shell find src cgi tests scripts -name '*.[ch]' -o -name '*.cc')
TIDY_C    := $(LIB_C) $(wildcard cgi/*.c)

.PHONY: checks check-layers check-templates check-lang format check-format tidy cppcheck types
checks: check-layers check-templates check-lang check-format tidy cppcheck types ## all checks of the sources
check-layers: ## which folder includes which; SQL and the headers of libraries in their folders only
	@scripts/check-layers
check-templates: ## raw tags of templates have names that end in _html
	@scripts/check-templates
check-lang: ## each text has a use, each use a text; no words outside of the catalogue
	@scripts/check-lang
format: ## apply .clang-format
	@clang-format -i $(C_ALL)
check-format:
	@clang-format --dry-run -Werror $(C_ALL)
# build/tidy/src/x.ok checks one file. It is not made: scripts/tidy knows what has passed.
TIDY = scripts/tidy $1 -- -std=gnu11 -D_GNU_SOURCE -Isrc -I$(SQLITE_DIR) -I$(B)/gen
tidy: $(GENERATED) ## clang-tidy, with the checks of .clang-tidy
	@$(call TIDY,$(TIDY_C))
build/tidy/%.ok: %.c $(GENERATED)
	@$(call TIDY,$<)
# Files whose text, after the preprocessor, has not changed are not checked again. Their results are in the user's cache
# folder, like those of scripts/tidy, so that a new clone has them. Two clones may be checked at once: one copies at a time.
CPPCHECK_KEPT := $(or $(XDG_CACHE_HOME),$(or $(HOME),/tmp)/.cache)/alfred/cppcheck
cppcheck: $(GENERATED) ## cppcheck over src and cgi
	@[ -d build/cppcheck ] || { mkdir -p build $(CPPCHECK_KEPT) && flock $(CPPCHECK_KEPT).lock cp -rp $(CPPCHECK_KEPT) build/cppcheck; }
	@cppcheck --quiet --enable=warning,performance,portability --std=c11 --error-exitcode=1 --inline-suppr \
	    --suppressions-list=scripts/cppcheck.txt --cppcheck-build-dir=build/cppcheck --library=posix,gnu \
	    -D_GNU_SOURCE -Isrc -I$(B)/gen -j$$(nproc) $(LIB_C) $(wildcard cgi/*.c)
	@flock $(CPPCHECK_KEPT).lock sh -c 'rm -rf $$0.new && cp -rp build/cppcheck $$0.new && rm -rf $$0 && mv $$0.new $$0' $(CPPCHECK_KEPT)
types: $(VENDOR) $(LANG_INC) ## tsc over our scripts
	@scripts/node node_modules/typescript/bin/tsc -p tsconfig.json

.PHONY: request-types
request-types: node-there ## tsc over the request bodies of the last http tests, against the providers' own packages
	@scripts/node scripts/request-types.js

.PHONY: openapi
openapi: ## write docs/openapi.yaml and api_reference.md from the route tables and docs/api.md
	@scripts/node scripts/openapi.js

.PHONY: commands
commands: ## write docs/commands.md from the table of commands
	@scripts/node scripts/commands.js

.PHONY: clean help
clean: ## remove what was built; data/ and node_modules/ stay
	rm -rf build static/vendor static/lang nginx/errors templates/icons
	find static -name '*.gz' -delete
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' Makefile
	@echo "FLAVOUR=release|asan|tsan|fuzz chooses how things are built; objects live in build/FLAVOUR."

-include $(shell find $(B) -name '*.d' 2>/dev/null)
