# Varve. The commands people need: make, make serve, make test, make install.
#   make                  build/release/varve and cgi-bin/rss, the same program twice
#   make serve            a site over the sample builds on http://127.0.0.1:8080 (PORT=8081)
#   make test             every test; make test-units, test-clients, test-galera: some of these
#   make bless            golden cases as they are answered now (CASES=part/of/a/path)
#   make test-real        those on data that is not ours to ship
#   make arrows headers tidy format format-check fuzz bench install clean
# config=debug|release|sanitize|tsan|fuzz builds into build/<config>.
config ?= release
MAKEFLAGS += --no-builtin-rules
B := build/$(config)
CXX ?= g++
PORT ?= 8080
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
jobs := $(shell nproc)

# A release has no lines for backtraces: -g1 takes an eighth more time, -g a third.
# -Wno-maybe-uninitialized: g++ 12 warns wrongly about <regex> when it is instrumented.
# The warnings about string operations: it reports false alarms in precompiled system headers, which it keeps to itself otherwise.
flags_release  := -O2
flags_debug    := -O0 -g -D_GLIBCXX_ASSERTIONS
flags_sanitize := -O1 -g1 -D_GLIBCXX_ASSERTIONS -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -Wno-maybe-uninitialized
flags_tsan     := -O1 -g1 -fsanitize=thread
flags_fuzz     := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -Wno-deprecated-declarations
# Compiling the tests takes longer than what more would save when they run. UBSan is for what they test.
test_flags_release  := -O1
test_flags_sanitize := -O0 -g1 -D_GLIBCXX_ASSERTIONS -fsanitize=address -fno-omit-frame-pointer
test_flags := $(or $(test_flags_$(config)),$(flags_$(config)))
$(if $(flags_$(config)),,$(error config=$(config): use debug, release, sanitize, tsan or fuzz))
standard := -std=c++20 -Isrc -isystem /usr/include/libxml2 -isystem /usr/include/mysql-cppconn
warnings := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds -Wno-restrict -Werror
compile   = $(CXX) $(standard) $(warnings) $(flags_$(config)) -MMD -MP $(CXXFLAGS)
LDFLAGS  += $(filter -fsanitize%,$(flags_$(config)))
LIBS := -lfcgi -lmysqlcppconn -lsqlite3 -lcrypto -lfmt -lxxhash -lsimdjson -lxml2 -lzstd -lz -lpthread

# The rooms in the order of docs/arrows.txt, lowest first. linked_ROOM is a room and all below it.
rooms := $(shell sed -n 's/^\([a-z]*\):.*/\1/p' docs/arrows.txt)
may_include = $(shell sed -n 's/^$(1)://p' docs/arrows.txt)
$(foreach r,$(rooms),$(eval linked_$(r) := $(sort $(r) $(foreach i,$(call may_include,$(r)),$(linked_$(i))))))
# The linker wants the highest room first.
$(foreach r,$(rooms),$(eval top_down := $(r) $(top_down)))
archives = $(patsubst %,$(B)/lib%.a,$(filter $(foreach r,$(1),$(linked_$(r))),$(top_down)))
# The tests of release read what a job has recorded.
test_of_release_needs := query

# All files below a folder belong to its room.
files   := $(sort $(shell find src tests bench -name '*.cpp'))
objects  = $(patsubst src/%.cpp,$(B)/obj/%.o,$(filter src/$(1)/%,$(files))) $(embedded_in_$(1))
tests    = $(patsubst tests/%.cpp,$(B)/obj/tests/%.o,$(filter tests/$(1)/%,$(files)))
unit_tests := $(patsubst tests/%,$(B)/test-%,$(wildcard $(rooms:%=tests/%)))
fuzzers    := $(patsubst tests/fuzz/%.cpp,$(B)/fuzz-%,$(filter tests/fuzz/%,$(files)))
benches    := $(patsubst bench/%.cpp,$(B)/bench-%,$(filter bench/%,$(files)))
# A server of AceDB and a stand-in for its program tace.
peers := $(B)/ace-server $(B)/tace-stand-in

all: $(B)/varve cgi-bin/rss
unit-tests: $(unit_tests) $(B)/tace-stand-in

# This file holds the compiler's command. It is written when the command changes, and then everything is compiled again.
$(B)/command: always
	@mkdir -p $(@D)
	@echo '$(compile) $(test_flags)' | cmp -s - $@ || echo '$(compile) $(test_flags)' > $@
# Headers that most files include, compiled once. Each file still includes what it uses.
$(B)/%/precompiled.hpp.gch: %/precompiled.hpp $(B)/command
	@mkdir -p $(@D)
	$(compile) -x c++-header $< -o $@
define to_object
@mkdir -p $(@D)
$(compile) $(1) -c $< -o $@
endef
$(B)/obj/%.o: src/%.cpp $(B)/src/precompiled.hpp.gch
	$(call to_object,-include $(B)/src/precompiled.hpp)
$(B)/obj/bench/%.o: bench/%.cpp $(B)/src/precompiled.hpp.gch
	$(call to_object,-include $(B)/src/precompiled.hpp)
$(B)/obj/tests/%.o: tests/%.cpp $(B)/tests/precompiled.hpp.gch
	$(call to_object,-include $(B)/tests/precompiled.hpp -Itests)
# Defines Catch2's own functions, so it must read catch.hpp itself.
$(B)/obj/tests/support/main.o: tests/support/main.cpp $(B)/command
	$(call to_object,-Itests)
$(B)/obj/tests/% $(B)/tests/%: private compile := $(subst $(flags_$(config)),$(test_flags),$(compile))
# What these rooms do themselves, apart from calling others, takes too little time to be worth -O2.
$(B)/obj/app/% $(B)/obj/archive/% $(B)/obj/release/%: private compile := $(subst -O2,-O1,$(compile))

# Files compiled in: sql/ as store::sql_files(), templates/ as render::template_files().
embedded_in_store  := $(B)/embedded/store/sql_files.o
embedded_in_render := $(B)/embedded/render/template_files.o
$(embedded_in_store:.o=.cpp): $(wildcard sql/*.sql)
$(embedded_in_render:.o=.cpp): $(wildcard templates/*)
$(embedded_in_store:.o=.cpp) $(embedded_in_render:.o=.cpp): $(B)/embedded/%.cpp: tools/embed
	@mkdir -p $(@D)
	tools/embed $(subst /,::,$*) $(filter-out tools/embed,$^) > $@
$(B)/embedded/%.o: $(B)/embedded/%.cpp $(B)/command
	$(call to_object)

# lib<room>.a and test-<room> of each room. test-real links all rooms.
archive = @rm -f $@; ar rcs $@ $(filter %.o,$^)
link    = $(CXX) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) $(1) $(LIBS) -o $@
define room
$(B)/lib$(1).a: $(call objects,$(1))
	$$(archive)
$(B)/test-$(1): $(call tests,$(1)) $(B)/obj/tests/support/main.o $(B)/libsupport.a $(call archives,$(1) $(test_of_$(1)_needs))
	$$(call link,-lrapidcheck)
endef
$(foreach r,$(rooms),$(eval $(call room,$(r))))
$(B)/test-real: $(call tests,real) $(B)/obj/tests/support/main.o $(B)/libsupport.a $(call archives,app)
	$(call link,-lrapidcheck)
$(B)/libsupport.a: $(filter-out %/main.o,$(call tests,support))
	$(archive)
$(benches): $(B)/bench-%: $(B)/obj/bench/%.o
$(fuzzers): $(B)/fuzz-%: $(B)/obj/tests/fuzz/%.o
$(B)/in-process: $(B)/obj/tests/clients/in_process.o
$(B)/varve $(B)/in-process $(benches) $(fuzzers): $(call archives,app)
	$(call link,$(if $(filter fuzz,$(config)),-fsanitize=fuzzer))
$(B)/ace-server: $(B)/obj/tests/acedb/ace_server.o
$(B)/tace-stand-in: $(B)/obj/tests/acedb/tace_stand_in.o
$(peers): $(B)/libsupport.a
	$(link)

# The name that a web server expects of the same program; a copy where links are not possible.
cgi-bin/rss: build/release/varve
	@mkdir -p $(@D)
	ln -f $< $@ 2>/dev/null || cp $< $@

# What is missing is installed before the first compiler call, hence the make inside.
install_and_make = tools/install-packages $(1) && $(MAKE) -j$(jobs) --no-print-directory $(2)
serve:
	@tools/serve $(PORT) --check-port
	$(call install_and_make,build serve,all config=release)
	@exec tools/serve $(PORT)
test:
	tools/install-node-packages tests/clients
	$(call install_and_make,build serve test,all unit-tests $(peers) $(B)/bench-make_build $(B)/in-process)
	tests/run $(unit_tests) tests/acedb/run tests/e2e/run tests/clients/run tests/galera/run tests/large/run
# tests/clients alone; bless writes what is answered now into tests/cases, for you to review.
test-clients bless:
	tools/install-node-packages tests/clients
	$(call install_and_make,build serve test,all $(B)/in-process)
	$(if $(filter bless,$@),tests/clients/run --bless $(CASES),tests/run tests/clients/run)
test-galera:
	$(call install_and_make,build test,all $(B)/bench-make_build)
	tests/run tests/galera/run
test-units:
	$(call install_and_make,build test,unit-tests)
	tests/run $(unit_tests)
test-real:
	@tools/real-data
	$(call install_and_make,build test,$(B)/test-real)
	tests/run $(B)/test-real
bench:
	$(call install_and_make,build serve bench,all benches)
	tools/bench
fuzz:
	$(call install_and_make,build test lint,config=fuzz CXX=clang++-19 fuzzers)
	tools/fuzz $(FUZZ_SECONDS) $(fuzzers:$(B)/%=build/fuzz/%)
benches: $(benches) $(peers)
fuzzers: $(fuzzers)

arrows:
	tools/arrows docs/arrows.txt src
headers:
	find src tests/support -name '*.hpp' | sort | xargs -P$(jobs) -I{} \
	  $(CXX) $(standard) $(warnings) -Itests -include {} -fsyntax-only -x c++ /dev/null
tidy:
	tools/install-packages build test lint
	find src -name '*.cpp' | sort | xargs -P$(jobs) -n1 -I{} clang-tidy-19 --quiet {} -- $(standard)
format format-check:
	tools/install-packages lint
	find src tests bench -name '*.?pp' | xargs clang-format-19 $(if $(filter format,$@),-i,--dry-run -Werror)
install: build/release/varve
	tools/install-files "$(PREFIX)" "$(DESTDIR)"
clean:
	rm -rf build cgi-bin/rss
.PHONY: all unit-tests serve test test-clients bless test-galera test-units test-real arrows headers tidy format format-check fuzz fuzzers bench benches install clean always
.SECONDARY:
-include $(shell find $(B) -name '*.d' 2>/dev/null)
