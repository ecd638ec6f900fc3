// Reads XML from memory, for tests.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <sys/mman.h>
#include <vector>

#include "source/import/xml_reader.hpp"
#include "support/catch.hpp"

namespace xml {

struct Read {
    std::vector<source::import::XmlObject> objects;
    std::optional<base::Error> error;  // that ended it
};

inline Read read(std::string_view bytes, std::size_t most = 64 << 20) {
    const source::File file(::memfd_create("x.xml", MFD_CLOEXEC));
    REQUIRE(file.is_open());
    REQUIRE(file.write(bytes));
    Read all;
    const auto done = source::import::read_xml(file, "x.xml", most, [&](auto object) {
        all.objects.push_back(std::move(object));
        return base::Result<void>();
    });
    if (!done) all.error = done.error();
    return all;
}

inline std::vector<source::import::XmlObject> objects(std::string_view bytes,
                                                      std::size_t most = 64 << 20) {
    auto all = read(bytes, most);
    INFO((all.error ? all.error->text : ""));
    REQUIRE(!all.error);
    return std::move(all.objects);
}

inline tree::Object only(std::string_view bytes) {
    auto all = objects(bytes);
    REQUIRE(all.size() == 1);
    return std::move(all.front().object);
}

// Returns the error that ends it, after any objects.
inline base::Error error_of(std::string_view bytes, std::size_t most = 64 << 20) {
    const auto all = read(bytes, most);
    REQUIRE(all.error);
    return *all.error;
}

}  // namespace xml
