# Varve. The commands people need: make, make serve, make test, make install.
config ?= release
B := build/$(config)
rooms := base tree store source compare history render serve app
CXX ?= g++

flags_release  := -O2 -g
flags_debug    := -O0 -g -D_GLIBCXX_ASSERTIONS
flags_sanitize := -O1 -g -D_GLIBCXX_ASSERTIONS -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
flags_tsan     := -O1 -g -fsanitize=thread
CXXFLAGS += -std=c++20 $(flags_$(config)) -MMD -MP -Isrc -isystem /usr/include/libxml2 -isystem /usr/include/mysql-cppconn \
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
LDFLAGS += $(filter -fsanitize%,$(flags_$(config)))
LIBS := -lfcgi -lmysqlcppconn -lsqlite3 -lxml2 -lcrypto -lfmt -lxxhash -lzstd -lz -lpthread

# A room and all that it may include, itself first (docs/arrows.txt says the same of includes).
with_base    := base
with_tree    := tree base
with_store   := store base
with_source  := source tree base
with_compare := compare tree base
with_history := history compare source store tree base
with_render  := render history compare source store tree base
with_serve   := serve render history compare source store tree base
with_app     := app serve render history compare source store tree base

sources = $(wildcard src/$(1)/*.cpp)
objects = $(patsubst src/%.cpp,$(B)/obj/%.o,$(call sources,$(1)))
tests   = $(patsubst tests/%.cpp,$(B)/obj/tests/%.o,$(wildcard tests/$(1)/*.cpp tests/support/*.cpp))

all: $(B)/varve

$(B)/obj/%.o: src/%.cpp
	@mkdir -p $(@D)
	$(CXX) $(CXXFLAGS) -c $< -o $@
$(B)/obj/tests/%.o: tests/%.cpp
	@mkdir -p $(@D)
	$(CXX) $(CXXFLAGS) -Itests -c $< -o $@

define room
$(B)/lib$(1).a: $(call objects,$(1)) $(if $(filter store,$(1)),$(B)/obj/store/schema_text.o)
	@rm -f $$@; ar rcs $$@ $$^
$(B)/test-$(1): $(call tests,$(1)) $(foreach r,$(with_$(1)),$(B)/lib$(r).a)
	$(CXX) $(LDFLAGS) $$^ -lrapidcheck $(LIBS) -o $$@
endef
$(foreach r,$(rooms),$(eval $(call room,$(r))))

$(B)/varve: $(foreach r,$(with_app),$(B)/lib$(r).a)
	$(CXX) $(LDFLAGS) $^ $(LIBS) -o $@

# The schema files, compiled in as store::schema_text(engine).
$(B)/gen/schema_text.cpp: sql/objects_history.sql sql/objects_history.sqlite.sql
	@mkdir -p $(@D)
	{ echo '#include <string_view>'; echo 'namespace store { extern const std::string_view mysql_schema, sqlite_schema;'; \
	  echo 'const std::string_view mysql_schema = R"~~~('; cat sql/objects_history.sql; echo ')~~~";'; \
	  echo 'const std::string_view sqlite_schema = R"~~~('; cat sql/objects_history.sqlite.sql; echo ')~~~"; }'; } > $@
$(B)/obj/store/schema_text.o: $(B)/gen/schema_text.cpp
	@mkdir -p $(@D)
	$(CXX) $(CXXFLAGS) -c $< -o $@

clean:
	rm -rf build
.PHONY: all clean
-include $(shell find $(B) -name '*.d' 2>/dev/null)
