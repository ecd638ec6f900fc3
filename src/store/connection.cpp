// SPDX-License-Identifier: MIT
#include "store/connection.hpp"

namespace store {
namespace {

const std::string nothing;

template <class T>
const T& as(const Value& value, const char* what) {
    if (const auto* held = std::get_if<T>(&value)) return *held;
    throw std::logic_error(std::string("a column does not hold ") + what);
}

}  // namespace

bool Row::is_null(std::size_t column) const {
    return std::holds_alternative<std::monostate>(values_.at(column));
}

std::int64_t Row::integer(std::size_t column) const {
    return as<std::int64_t>(values_.at(column), "an integer");
}

const std::string& Row::text(std::size_t column) const {
    return is_null(column) ? nothing : as<std::string>(values_.at(column), "a text");
}

const std::string& Row::blob(std::size_t column) const {
    return is_null(column) ? nothing : as<Blob>(values_.at(column), "a blob").bytes;
}

}  // namespace store
