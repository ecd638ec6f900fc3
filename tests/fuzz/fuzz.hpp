// What all fuzzers share. A fuzzer includes this file and defines fuzz(). In `make fuzz` each of them runs for a minute; one alone:
//   make config=fuzz CXX=clang++-19 build/fuzz/fuzz-date_fuzz
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/utf8.hpp"
#include "tree/object.hpp"

// Tries any bytes. Ends in require() where something is not as it must be.
void fuzz(std::string_view bytes);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz({reinterpret_cast<const char*>(data), size});
    return 0;
}

inline void require(bool holds) {
    if (!holds) std::abort();
}

inline void require_text(std::string_view text) { require(base::is_legal_text(text)); }

inline void require_texts(const std::vector<tree::Node>& nodes) {
    for (const auto& node : nodes) {
        require_text(node.cell.text);
        require_text(node.cell.class_name);
        require_text(node.stamp);
        require_texts(node.children);
    }
}
