# `make help` lists the targets.
MAKEFLAGS += --no-builtin-rules
FLAVOUR   ?= release
B         := build/$(FLAVOUR)

CC      := gcc
CXX     := g++
WARN    := -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Wvla -Wformat=2 -Wno-format-nonliteral
CFLAGS  := -std=gnu11 -O2 -g -fno-omit-frame-pointer -D_GNU_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE -pthread
LDFLAGS := -pthread -pie -Wl,-z,relro,-z,now
LIBS    := -lfcgi -lcurl -ljansson -lsodium -lmd4c -lm -lstdc++

ifeq ($(FLAVOUR),asan)
CFLAGS  := -std=gnu11 -O1 -g -fno-omit-frame-pointer -D_GNU_SOURCE -pthread -fsanitize=address,undefined -fno-sanitize-recover=undefined
LDFLAGS := -pthread -fsanitize=address,undefined
endif
ifeq ($(FLAVOUR),tsan)
CFLAGS  := -std=gnu11 -O1 -g -fno-omit-frame-pointer -D_GNU_SOURCE -pthread -fsanitize=thread
LDFLAGS := -pthread -fsanitize=thread
endif
ifeq ($(FLAVOUR),fuzz)
CC      := clang
CXX     := clang++
CFLAGS  := -std=gnu11 -O1 -g -fno-omit-frame-pointer -D_GNU_SOURCE -pthread -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined
LDFLAGS := -pthread -fsanitize=address,undefined
endif
ifdef CI
WARN += -Werror
endif

SQLITE_DIR   := node_modules/better-sqlite3/deps/sqlite3
SQLITE_FLAGS := -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_SETLK_TIMEOUT -DSQLITE_DQS=0 -DSQLITE_THREADSAFE=2 \
    -DSQLITE_DEFAULT_MEMSTATUS=0 -DSQLITE_LIKE_DOESNT_MATCH_BLOBS -DSQLITE_OMIT_DEPRECATED -DSQLITE_OMIT_SHARED_CACHE \
    -DSQLITE_USE_ALLOCA -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_MAX_EXPR_DEPTH=100

LIB_C  := $(wildcard src/*/*.c)
LIB_CC := $(wildcard src/*/*.cc)
LIB_O  := $(LIB_C:%.c=$(B)/%.o) $(LIB_CC:%.cc=$(B)/%.o) $(B)/sqlite3.o
LIB    := $(B)/libalfred.a
PROGRAMS := $(patsubst cgi/%.c,$(B)/bin/%,$(wildcard cgi/*.c))

.PHONY: all
all: $(PROGRAMS)

$(B)/src/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(WARN) -Isrc -I$(SQLITE_DIR) -I$(B)/gen -MMD -MP -c $< -o $@

$(B)/src/%.o: src/%.cc
	@mkdir -p $(@D)
	$(CXX) $(filter-out -std=gnu11,$(CFLAGS)) -std=gnu++17 -Wall -Wextra -Isrc -MMD -MP -c $< -o $@

$(B)/sqlite3.o: $(SQLITE_DIR)/sqlite3.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SQLITE_FLAGS) -w -c $< -o $@

$(LIB): $(LIB_O)
	@rm -f $@
	ar rcs $@ $^

$(B)/bin/%: cgi/%.c $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(WARN) -Isrc $< $(LIB) $(LDFLAGS) $(LIBS) -o $@

# One test program per file of tests/unit and tests/store: cmocka, all tests of the file.
TEST_C    := $(wildcard tests/unit/*.c) $(wildcard tests/store/*.c)
TEST_BINS := $(patsubst tests/%.c,$(B)/tests/%,$(filter-out tests/unit/unit.c,$(TEST_C)))

$(B)/tests/%: tests/%.c tests/unit/unit.c $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(WARN) -Isrc -Itests/unit -MMD -MP -MF $@.d $< tests/unit/unit.c $(LIB) $(LDFLAGS) $(LIBS) -lcmocka -o $@

.PHONY: unit
unit: $(TEST_BINS)
	@for t in $(TEST_BINS); do $$t || exit 1; done

-include $(shell find $(B) -name '*.d' 2>/dev/null)
