# Varve. The commands people need: make, make serve, make test, make install.
#   make                  build/release/varve and cgi-bin/rss, the same program twice
#   make serve            a site over the sample builds on http://127.0.0.1:8080 (PORT=8081)
#   make test             every test; make test-units, test-clients, test-galera: some of these
#   make bless            golden cases as they are answered now (CASES=part/of/a/path)
#   make test-real        those on data that is not ours to ship
#   make arrows headers tidy format format-check fuzz bench install clean
# config=debug|release|sanitize|tsan|fuzz builds into build/<config>.
config ?= release
B := build/$(config)
CXX ?= g++
PORT ?= 8080
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
jobs := $(shell nproc)

# -Wno-maybe-uninitialized: g++ 12 sees ghosts in <regex> once it is instrumented.
# -g1: lines for backtraces; all of -g takes a third more time and five times the room.
flags_release  := -O2 -g1
flags_debug    := -O0 -g -D_GLIBCXX_ASSERTIONS
flags_sanitize := -O1 -g -D_GLIBCXX_ASSERTIONS -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -Wno-maybe-uninitialized
flags_tsan     := -O1 -g -fsanitize=thread
flags_fuzz     := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -Wno-deprecated-declarations
$(if $(flags_$(config)),,$(error config=$(config): use debug, release, sanitize, tsan or fuzz))
standard := -std=c++20 -Isrc -isystem /usr/include/libxml2 -isystem /usr/include/mysql-cppconn
warnings := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
compile   = $(CXX) $(standard) $(warnings) $(flags_$(config)) -MMD -MP $(CXXFLAGS)
LDFLAGS  += $(filter -fsanitize%,$(flags_$(config)))
LIBS := -lfcgi -lmysqlcppconn -lsqlite3 -lcrypto -lfmt -lxxhash -lsimdjson -lxml2 -lzstd -lz -lpthread
test_libs := -lrapidcheck

# Rooms as docs/arrows.txt lists them, the lowest first; linked_ROOM: itself and all below it.
rooms := $(shell sed -n 's/^\([a-z]*\):.*/\1/p' docs/arrows.txt)
may_include = $(shell sed -n 's/^$(1)://p' docs/arrows.txt)
$(foreach r,$(rooms),$(eval linked_$(r) := $(sort $(r) $(foreach i,$(call may_include,$(r)),$(linked_$(i))))))
# Their archives, the highest first, as the linker wants them.
$(foreach r,$(rooms),$(eval top_down := $(r) $(top_down)))
archives = $(patsubst %,$(B)/lib%.a,$(filter $(foreach r,$(1),$(linked_$(r))),$(top_down)))

# The tests of release read what a job has recorded.
test_of_release_needs := query

# A room has all files below its folder.
files   := $(sort $(shell find src tests bench -name '*.cpp'))
objects  = $(patsubst src/%.cpp,$(B)/obj/%.o,$(filter src/$(1)/%,$(files)))
tests    = $(patsubst tests/%.cpp,$(B)/obj/tests/%.o,$(filter tests/$(1)/%,$(files))) $(B)/obj/tests/support/main.o $(B)/libsupport.a
unit_tests := $(patsubst tests/%,$(B)/test-%,$(wildcard $(rooms:%=tests/%)))
fuzzers    := $(patsubst tests/fuzz/%.cpp,$(B)/fuzz-%,$(filter tests/fuzz/%,$(files)))
benches    := $(patsubst bench/%.cpp,$(B)/bench-%,$(filter bench/%,$(files)))

all: $(B)/varve cgi-bin/rss
unit-tests: $(unit_tests) $(B)/tace-stand-in

# What most files include, compiled once; a file includes what it needs nevertheless.
$(B)/%/precompiled.hpp.gch: %/precompiled.hpp $(B)/command
	@mkdir -p $(@D)
	$(compile) -x c++-header $< -o $@
# Catch2's own code is between its lines.
$(B)/obj/tests/support/main.o: precompiled =
precompiled = -include $(B)/$(1)/precompiled.hpp
$(B)/obj/%.o: src/%.cpp $(B)/src/precompiled.hpp.gch
	@mkdir -p $(@D)
	$(compile) $(call precompiled,src) -c $< -o $@
$(B)/obj/tests/%.o: tests/%.cpp $(B)/tests/precompiled.hpp.gch
	@mkdir -p $(@D)
	$(compile) $(call precompiled,tests) -Itests -c $< -o $@
$(B)/obj/bench/%.o: bench/%.cpp $(B)/src/precompiled.hpp.gch
	@mkdir -p $(@D)
	$(compile) $(call precompiled,src) -c $< -o $@
# How all is compiled; written when that changes, so that all is compiled anew.
$(B)/command: always
	@mkdir -p $(@D)
	@echo '$(compile)' | cmp -s - $@ || echo '$(compile)' > $@

# lib<room>.a and test-<room>, for each room; test-real links all of them.
define room
$(B)/lib$(1).a: $(call objects,$(1)) $(if $(filter store,$(1)),$(B)/obj/store/schema_text.o) $(if $(filter render,$(1)),$(B)/obj/render/template_texts.o)
	@rm -f $$@; ar rcs $$@ $$^
$(B)/test-$(1): $(call tests,$(1)) $(call archives,$(1) $(test_of_$(1)_needs))
	$(CXX) $(LDFLAGS) $$^ $(test_libs) $(LIBS) -o $$@
endef
$(foreach r,$(rooms),$(eval $(call room,$(r))))
# An archive, so that a test takes only what it uses of it.
$(B)/libsupport.a: $(patsubst tests/%.cpp,$(B)/obj/tests/%.o,$(filter-out %/main.cpp,$(filter tests/support/%,$(files))))
	@rm -f $@; ar rcs $@ $^
$(B)/test-real: $(call tests,real) $(call archives,app)
	$(CXX) $(LDFLAGS) $^ $(test_libs) $(LIBS) -o $@
$(B)/fuzz-%: $(B)/obj/tests/fuzz/%.o $(call archives,app)
	$(CXX) $(LDFLAGS) -fsanitize=fuzzer $^ $(LIBS) -o $@
$(B)/bench-%: $(B)/obj/bench/%.o $(call archives,app)
	$(CXX) $(LDFLAGS) $^ $(LIBS) -o $@
$(B)/in-process: $(B)/obj/tests/clients/in_process.o $(call archives,app)
	$(CXX) $(LDFLAGS) $^ $(LIBS) -o $@
# An AceDB to ask: its server, and what stands in for its program tace.
peers := $(B)/ace-server $(B)/tace-stand-in
$(B)/ace-server: $(B)/obj/tests/acedb/ace_server.o
$(B)/tace-stand-in: $(B)/obj/tests/acedb/tace_stand_in.o
$(peers): $(B)/libsupport.a
	$(CXX) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) -lcrypto -lpthread -o $@
$(B)/varve: $(call archives,app)
	$(CXX) $(LDFLAGS) $^ $(LIBS) -o $@

# The name that a web server expects of the same program; a copy where links can't be made.
cgi-bin/rss: build/release/varve
	@mkdir -p $(@D)
	ln -f $< $@ 2>/dev/null || cp $< $@

# The schema files, compiled in: sql/NAME.sql as store::mysql_NAME, its twin as sqlite_NAME.
schemas := schema=objects_history upgrade_2=upgrade_2 upgrade_3=upgrade_3 upgrade_4=upgrade_4
$(B)/gen/schema_text.cpp: $(wildcard sql/*.sql)
	@mkdir -p $(@D)
	{ echo '#include <string_view>'; for s in $(schemas); do for e in mysql: sqlite:.sqlite; do \
	  echo "namespace store { extern const std::string_view $${e%:*}_$${s%=*};"; \
	  echo "const std::string_view $${e%:*}_$${s%=*} = R\"~~~("; cat sql/$${s#*=}$${e#*:}.sql; \
	  echo ')~~~"; }'; done; done; } > $@
# The pages' templates, style sheets and script, compiled in as render::built_in_templates().
$(B)/gen/template_texts.cpp: $(wildcard templates/*)
	@mkdir -p $(@D)
	{ echo '#include "render/templates.hpp"'; echo 'namespace render {'; \
	  echo 'const TemplateTexts& built_in_templates() { static const TemplateTexts texts = {'; \
	  for t in templates/*; do printf '{"%s", R"~~~(' $${t##*/}; cat $$t; echo ')~~~"},'; done; \
	  echo '}; return texts; } }'; } > $@
$(B)/obj/store/schema_text.o: $(B)/gen/schema_text.cpp
	@mkdir -p $(@D)
	$(compile) -c $< -o $@
$(B)/obj/render/template_texts.o: $(B)/gen/template_texts.cpp
	@mkdir -p $(@D)
	$(compile) -c $< -o $@

# What is missing is installed before the first compiler call, hence the make inside.
serve:
	@tools/serve $(PORT) --check-port
	tools/install-packages build serve
	$(MAKE) -j$(jobs) --no-print-directory all config=release
	@exec tools/serve $(PORT)
test:
	tools/install-packages build serve test
	tools/install-node-packages tests/clients
	$(MAKE) -j$(jobs) --no-print-directory all unit-tests $(peers) $(B)/bench-make_build $(B)/in-process
	tests/run $(unit_tests) tests/acedb/run tests/e2e/run tests/clients/run tests/galera/run tests/large/run
# tests/clients alone; bless writes what is answered now into tests/cases, for you to review.
test-clients bless:
	tools/install-packages build serve test
	tools/install-node-packages tests/clients
	$(MAKE) -j$(jobs) --no-print-directory all $(B)/in-process
	$(if $(filter bless,$@),tests/clients/run --bless $(CASES),tests/run tests/clients/run)
test-galera:
	tools/install-packages build test
	$(MAKE) -j$(jobs) --no-print-directory all $(B)/bench-make_build
	tests/run tests/galera/run
test-units:
	tools/install-packages build test
	$(MAKE) -j$(jobs) --no-print-directory unit-tests
	tests/run $(unit_tests)
test-real:
	tools/install-packages build test
	@tools/real-data
	$(MAKE) -j$(jobs) --no-print-directory $(B)/test-real
	tests/run $(B)/test-real

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
fuzz:
	tools/install-packages build test lint
	$(MAKE) -j$(jobs) --no-print-directory config=fuzz CXX=clang++-19 fuzzers
	tools/fuzz $(FUZZ_SECONDS) $(fuzzers:$(B)/%=build/fuzz/%)
fuzzers: $(fuzzers)
bench:
	tools/install-packages build serve bench
	$(MAKE) -j$(jobs) --no-print-directory all benches
	tools/bench
benches: $(benches) $(peers)

install: build/release/varve
	tools/install-files "$(PREFIX)" "$(DESTDIR)"
clean:
	rm -rf build cgi-bin/rss
.PHONY: all unit-tests serve test test-clients bless test-galera test-units test-real arrows headers tidy format format-check fuzz fuzzers bench benches install clean always
.SECONDARY:
-include $(shell find $(B) -name '*.d' 2>/dev/null)
