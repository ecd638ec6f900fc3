# Varve. The commands people need: make, make serve, make test, make install. The others:
#   make test-units, test-acedb …   tests of the C++ code; one of tests/*/run. test-real: data that is not ours to ship
#   make attack       hostile texts and kills, ATTACK_ROUNDS=30 times; make bless: new golden cases, CASES=part/of/a/path
#   make mutants      do the tests notice faults? MUTANTS="part of a name", PROGRAMS="test-compare tests/e2e/run", ALL=yes: tools/mutants
#   make arrows includes tidy format format-check fuzz bench soak clean
# config=debug|release|sanitize|tsan|fuzz builds into build/<config>; PORT=8081 is for make serve.
config ?= release
MAKEFLAGS += --no-builtin-rules $(if $(filter 0,$(MAKELEVEL)),-j$(shell nproc))
B := build/$(config)

hardening := -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection $(if $(filter x86_64,$(shell uname -m)),-fcf-protection)
# A release has no lines for backtraces: -g1 takes an eighth more time, -g a third.
flags_release  := -O2 $(hardening)
flags_debug    := -O0 -g -D_GLIBCXX_ASSERTIONS
# UBSan's check of virtual tables opens descriptors, and tests run out of these.
flags_sanitize := -O1 -g1 -D_GLIBCXX_ASSERTIONS -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=undefined -fno-omit-frame-pointer
flags_tsan     := -O1 -g1 -fsanitize=thread
flags_fuzz     := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
$(if $(flags_$(config)),,$(error config=$(config): use debug, release, sanitize, tsan or fuzz))
# Compiling the tests takes longer than what more would save when they run. UBSan is for what they test.
test_flags_release  := -O1 $(hardening)
test_flags_sanitize := -O0 -g1 -D_GLIBCXX_ASSERTIONS -fsanitize=address -fno-omit-frame-pointer
test_flags := $(or $(test_flags_$(config)),$(flags_$(config))) -Itests
standard := -std=c++20 -Isrc -isystem /usr/include/libxml2 -isystem /usr/include/mysql-cppconn
# The last ones are false alarms of g++ 12: about <regex>, about strings, about files that are included.
warnings := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Wno-unknown-warning-option \
  -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds -Wno-restrict -Wno-subobject-linkage
# Clang finds what g++ does not, and complains of a call that libstdc++ itself makes.
ifneq ($(filter sanitize fuzz,$(config)),)
CXX      := clang++-19
warnings += -Wno-deprecated-declarations
endif
compile   = $(CXX) $(standard) $(warnings) $(flags_$(config)) -MMD -MP $(CXXFLAGS)
LDFLAGS  += -Wl,-z,relro,-z,now $(filter -fsanitize%,$(flags_$(config)))
LIBS := -lcurl -lfcgi -lmicrohttpd -lmysqlcppconn -lsqlite3 -lcrypto -lfmt -lxxhash -lsimdjson -lxml2 -lre2 -licui18n -licuuc -lzstd -lz -lpthread $(if $(filter release debug,$(config)),-ljemalloc)

# The rooms in the order of docs/arrows.txt, lowest first. linked_ROOM is a room and all below it, for the linker highest first.
rooms := $(shell sed -n 's/^\([a-z]*\):.*/\1/p' docs/arrows.txt)
may_include = $(shell sed -n 's/^$(1)://p' docs/arrows.txt)
$(foreach r,$(rooms),$(eval linked_$(r) := $(sort $(r) $(foreach i,$(call may_include,$(r)),$(linked_$(i))))))
$(foreach r,$(rooms),$(eval top_down := $(r) $(top_down)))
archives = $(patsubst %,$(B)/lib%.a,$(filter $(foreach r,$(1),$(linked_$(r))),$(top_down)))
test_of_release_needs := query  # they read what a job has recorded

# In bundles, the files of a room take a third less time; otherwise each is compiled alone, so that a change costs least.
folders := $(rooms:%=src/%) $(wildcard $(rooms:%=tests/%))
bundle  := tools/bundle $(B)/bundles 1500 $(folders)
bundles := $(if $(filter release fuzz,$(config)),$(shell $(bundle)))
files   := $(shell find $(folders) tests/support -name '*.cpp' ! -name main.cpp | LC_ALL=C sort)
sources := $(or $(bundles:$(B)/bundles/%=%),$(filter-out tests/support/%,$(files)))
vpath %.cpp $(B)/bundles
objects  = $(patsubst %.cpp,$(B)/obj/%.o,$(filter $(1)/%,$(sources)))
unit_tests := $(patsubst tests/%,$(B)/test-%,$(filter $(rooms:%=tests/%),$(folders)))
fuzzers    := $(patsubst tests/fuzz/%.cpp,$(B)/fuzz-%,$(wildcard tests/fuzz/*.cpp))
benches    := $(patsubst bench/%.cpp,$(B)/bench-%,$(wildcard bench/*.cpp))

all: $(B)/varve cgi-bin/rss
unit-tests: $(unit_tests)
fuzzers: $(fuzzers)

# Written only when their content changes: the compiler's command, after which everything is compiled
# again; the names of a folder's files, so that what is made of them lacks those that are gone; and the bundles.
keep = $(if $(subst |$(file <$@)|,,|$(1)|),@mkdir -p $(@D) && printf %s '$(1)' > $@)
$(B)/command: always
	$(call keep,$(compile) $(test_flags))
$(B)/%.list: always
	$(call keep,$(filter $*/%,$(files) $(wildcard sql/*.sql templates/*)))
$(bundles): write-bundles ;
write-bundles: ; @$(bundle) --write
# Headers that most files include, compiled once. Each file still includes what it uses, as the sanitized build
# shows: it compiles each file alone.
precompiled = $(if $(filter sanitize,$(config)),$(B)/command,$(B)/$(1)/precompiled.hpp.gch)
$(B)/%/precompiled.hpp.gch: %/precompiled.hpp $(B)/command
	mkdir -p $(@D) && $(compile) -x c++-header $< -o $@
to_object = mkdir -p $(@D) && $(compile) -iquote . $(patsubst %.gch,-include %,$(filter %.gch,$^)) -c $< -o $@
$(B)/obj/%.o: %.cpp $(call precompiled,src) ; $(to_object)
$(B)/obj/tests/%.o: tests/%.cpp $(call precompiled,tests) ; $(to_object)
# Defines Catch2's own functions, so it must read catch.hpp itself.
$(B)/obj/tests/support/main.o: tests/support/main.cpp $(B)/command ; $(to_object)
$(B)/obj/tests/% $(B)/tests/%: private compile := $(subst $(flags_$(config)),$(test_flags),$(compile))
# What these rooms do themselves, apart from calling others, takes too little time to be worth -O2.
$(B)/obj/src/app/% $(B)/obj/src/archive/% $(B)/obj/src/release/%: private compile := $(subst -O2,-O1,$(compile))

# Compiled in: sql/ as store::sql_files(), templates/ as render::template_files().
embedded_in_store  := $(B)/embedded/store/sql_files
embedded_in_render := $(B)/embedded/render/template_files
$(embedded_in_store).cpp: $(wildcard sql/*.sql) $(B)/sql.list
$(B)/embedded/render/template_files.cpp: $(wildcard templates/*) $(B)/templates.list
$(embedded_in_store:=.cpp) $(embedded_in_render:=.cpp): $(B)/embedded/%.cpp: tools/embed
	mkdir -p $(@D) && tools/embed $(subst /,::,$*) $(filter-out tools/embed %.list,$^) > $@
$(B)/embedded/%.o: $(B)/embedded/%.cpp $(B)/command ; $(to_object)

# lib<room>.a and test-<room> of each room. test-real links all rooms.
archive = @rm -f $@; ar rcs $@ $(filter %.o,$^)
link    = $(CXX) $(LDFLAGS) $(filter %.o,$^) $(filter %/libsupport.a,$^) $(filter-out %/libsupport.a,$(filter %.a,$^)) $(1) $(LIBS) -o $@
define room
$(B)/lib$(1).a: $(call objects,src/$(1)) $(addsuffix .o,$(embedded_in_$(1))) $(B)/src/$(1).list
	$$(archive)
$(B)/test-$(1): $(call objects,tests/$(1)) $(call archives,$(1) $(test_of_$(1)_needs)) $(B)/tests/$(1).list
endef
$(foreach r,$(rooms),$(eval $(call room,$(r))))
$(B)/test-real: $(patsubst %.cpp,$(B)/obj/%.o,$(wildcard tests/real/*.cpp)) $(call archives,app)
$(unit_tests) $(B)/test-real: $(B)/obj/tests/support/main.o $(B)/libsupport.a
	$(call link,-lrapidcheck -lgumbo)
$(B)/libsupport.a: $(patsubst %.cpp,$(B)/obj/%.o,$(filter tests/support/%,$(files))) $(B)/tests/support.list
	$(archive)
$(benches): $(B)/bench-%: $(B)/obj/bench/%.o
# Without libFuzzer they run files once.
$(fuzzers): $(B)/fuzz-%: $(B)/obj/tests/fuzz/%.o $(if $(filter-out fuzz,$(config)),$(B)/obj/tests/fuzz/replay/main.o)
$(B)/varve: $(B)/obj/src/app/main.o
$(B)/ace-server: $(B)/obj/tests/acedb/ace_server.o $(B)/libsupport.a
$(B)/varve $(B)/ace-server $(benches) $(fuzzers): $(call archives,app)
	$(call link,$(if $(filter fuzz,$(config)),$(if $(filter $@,$(fuzzers)),-fsanitize=fuzzer)))

# The name that a web server expects of the same program; a copy where links are not possible.
cgi-bin/rss: build/release/varve
	mkdir -p $(@D) && ln -f $< $@ 2>/dev/null || cp $< $@
# Installs what is missing before the first compiler call.
install_and_make = tools/install-packages $(1) && $(MAKE) -j$$(nproc) --no-print-directory $(2)
served_and_tested := all $(B)/ace-server $(B)/bench-make_build $(B)/test-store
serve:
	@tools/serve $(or $(PORT),8080) --check-port
	$(call install_and_make,build serve,all config=release)
	@exec tools/serve $(or $(PORT),8080)
test:
	tools/install-node-packages tests/clients
	$(call install_and_make,build serve test,$(served_and_tested) unit-tests)
	tests/run $(unit_tests) $(wildcard tests/*/run)
test-units:
	$(call install_and_make,build test$(if $(filter sanitize fuzz,$(config)), lint),unit-tests)
	tests/run $(BUDGETS) $(unit_tests)
test-programs:
	tools/install-node-packages tests/clients
	$(call install_and_make,build serve test,$(served_and_tested))
	tests/run $(BUDGETS) $(wildcard tests/*/run)
nightly:
	NIGHTLY=yes OBJECTS=1000000 ATTACK_ROUNDS=30 $(MAKE) test
	$(MAKE) fuzz FUZZ_SECONDS=600
test-real:
	@if tools/real-data; then $(call install_and_make,build test,$(B)/test-real) && tests/run $(B)/test-real; fi
$(patsubst tests/%/run,test-%,$(wildcard tests/*/run)): test-%:
	tools/install-node-packages tests/clients
	$(call install_and_make,build serve test,$(served_and_tested))
	$(or $(run_test),tests/run tests/$*/run)
attack:
	$(MAKE) test-e2e run_test='export ATTACK_ROUNDS=$(or $(ATTACK_ROUNDS),30); for each in e2e galera; do tests/$$$$each/run "Under attack" || exit; done'
bless:
	$(MAKE) test-clients run_test='tests/clients/run --bless $(CASES)'
bench soak:
	$(call install_and_make,build serve bench,all $(benches) $(B)/ace-server)
	$(if $(filter soak,$@),bench/soak,tools/bench)
fuzz:
	$(call install_and_make,build test lint,$(if $(filter 0,$(FUZZ_SECONDS)),config=sanitize,config=fuzz CXX=clang++-19) fuzzers)
	tools/fuzz $(or $(FUZZ_SECONDS),60) $(fuzzers:$(B)/fuzz-%=%)
mutants:
	tools/install-packages build serve test
	tools/mutants $(if $(ALL),--all) $(if $(PROGRAMS),--programs '$(PROGRAMS)') $(MUTANTS)
arrows includes tidy format format-check:
	COMPILE='$(if $(filter includes,$@),clang++-19 -Wno-deprecated-declarations,$(CXX)) $(standard) $(warnings)' tools/lint $@
install:
	$(call install_and_make,build,all config=release)
	tools/install-files "$(or $(PREFIX),/usr/local)" "$(DESTDIR)"
clean: ; rm -rf build cgi-bin/rss
$(if $(filter clean,$(MAKECMDGOALS)),.NOTPARALLEL:)
.PHONY: write-bundles all unit-tests fuzzers serve test test-units test-programs nightly test-real attack bless mutants arrows includes tidy format format-check fuzz bench soak install clean always
.SECONDARY:
-include $(shell find $(B) -name '*.d' 2>/dev/null)
