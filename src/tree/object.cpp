// SPDX-License-Identifier: MIT
#include "tree/object.hpp"

#include <charconv>
#include <iterator>
#include <unordered_map>

#include "base/text.hpp"

namespace tree {
namespace {

// ---- Numbers and dates ----

std::size_t digits(std::string_view word, std::size_t at) {
    while (at < word.size() && base::is_digit(word[at])) ++at;
    return at;
}

// Two digits at `at`, or nothing.
bool pair_at(std::string_view word, std::size_t at) {
    return at + 2 <= word.size() && base::is_digit(word[at]) && base::is_digit(word[at + 1]);
}

bool is_date(std::string_view word) {
    if (word.size() < 7 || digits(word, 0) != 4) return false;
    constexpr std::string_view marks = "--_::";  // before month, day, hour, minute, second
    std::size_t at = 4;
    for (const char mark : marks) {
        if (at == word.size()) return at > 4;
        if (word[at] != mark || !pair_at(word, at + 1)) return false;
        at += 3;
    }
    return at == word.size();
}

struct Shape {
    bool number = false;
    bool real = false;
};

Shape shape_of(std::string_view word) {
    std::size_t at = !word.empty() && word[0] == '-' ? 1 : 0;
    const std::size_t whole = digits(word, at);
    if (whole == at) return {};
    at = whole;
    bool real = false;
    if (at < word.size() && word[at] == '.') {
        const std::size_t end = digits(word, at + 1);
        if (end == at + 1) return {};
        at = end;
        real = true;
    }
    if (at < word.size() && (word[at] == 'e' || word[at] == 'E')) {
        ++at;
        if (at < word.size() && (word[at] == '+' || word[at] == '-')) ++at;
        const std::size_t end = digits(word, at);
        if (end == at || end - at > 9) return {};  // an exponent of over 9 digits is no number
        at = end;
        real = true;
    }
    return at == word.size() ? Shape{true, real} : Shape{};
}

// digits * 10^exponent, digits without zeros at either end; "" is zero.
struct Decimal {
    bool negative = false;
    std::string digits;
    long exponent = 0;
};

Decimal decimal_of(std::string_view word) {
    Decimal d;
    if (word.front() == '-') d.negative = true, word.remove_prefix(1);
    if (const auto e = word.find_first_of("eE"); e != std::string_view::npos) {
        auto power = word.substr(e + 1);
        if (power.front() == '+') power.remove_prefix(1);
        std::from_chars(power.data(), power.data() + power.size(), d.exponent);
        word = word.substr(0, e);
    }
    const auto point = word.find('.');
    d.digits = word.substr(0, point);
    if (point != std::string_view::npos) {
        d.digits += word.substr(point + 1);
        d.exponent -= static_cast<long>(word.size() - point - 1);
    }
    const auto last = d.digits.find_last_not_of('0');
    if (last == std::string::npos) return {};
    d.exponent += static_cast<long>(d.digits.size() - last - 1);
    d.digits.erase(last + 1);
    d.digits.erase(0, d.digits.find_first_not_of('0'));
    return d;
}

std::string plain(const Decimal& d) {
    const auto size = static_cast<long>(d.digits.size());
    if (d.exponent >= 0) return d.digits + std::string(static_cast<std::size_t>(d.exponent), '0');
    const long before_point = size + d.exponent;
    if (before_point > 0)
        return d.digits.substr(0, static_cast<std::size_t>(before_point)) + '.' +
               d.digits.substr(static_cast<std::size_t>(before_point));
    return "0." + std::string(static_cast<std::size_t>(-before_point), '0') + d.digits;
}

// ---- Nodes ----

// Up to this many siblings a linear search is faster than hashing.
constexpr std::size_t few = 12;

void move_children(Node& from, Node& to) {
    std::move(from.children.begin(), from.children.end(), std::back_inserter(to.children));
}

bool has_duplicate(const std::vector<Node>& siblings) {
    for (std::size_t i = 1; i < siblings.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (same_content(siblings[i].cell, siblings[j].cell)) return true;
    return false;
}

// Index of the first sibling of each content, by notation and key.
using Seen = std::unordered_map<std::string, std::size_t>;

void merge_level(std::vector<Node>& siblings) {
    Seen seen;
    seen.reserve(siblings.size());
    std::size_t kept = 0;
    for (auto& node : siblings) {
        const auto [place, is_new] = seen.try_emplace(content_key(node.cell), kept);
        if (!is_new) {
            move_children(node, siblings[place->second]);
            continue;
        }
        if (&siblings[kept] != &node) siblings[kept] = std::move(node);
        ++kept;
    }
    siblings.resize(kept);
}

}  // namespace

CellKind kind_of_bare_word(std::string_view word) {
    // Most bare words are tags and begin with a letter.
    if (word.empty() || !(base::is_digit(word.front()) || word.front() == '-'))
        return CellKind::tag;
    const auto shape = shape_of(word);
    if (shape.number) return shape.real ? CellKind::real : CellKind::integer;
    return is_date(word) ? CellKind::date : CellKind::tag;
}

bool is_number(std::string_view word) { return shape_of(word).number; }

std::string canonical_number(std::string_view word) {
    if (is_canonical_number(word)) return std::string(word);
    const auto d = decimal_of(word);
    if (d.digits.empty()) return "0";
    const std::string sign = d.negative ? "-" : "";
    if (d.exponent > 400 || d.exponent < -400)
        return sign + d.digits + "e" + std::to_string(d.exponent);
    return sign + plain(d);
}

bool is_canonical_number(std::string_view word) {
    if (word == "0") return true;
    const std::size_t at = word.front() == '-' ? 1 : 0;
    const std::size_t whole = digits(word, at);
    if (whole == word.size()) return word[at] != '0' && whole <= 400;
    if (word[whole] != '.' || word.size() > 400) return false;
    if (word[at] == '0' && whole != at + 1) return false;
    return digits(word, whole + 1) == word.size() && word.back() != '0';
}

std::string key_of(const Cell& cell) {
    switch (cell.kind) {
        case CellKind::tag:
        case CellKind::integer:
        case CellKind::real:
        case CellKind::date:
            return is_number(cell.text) ? canonical_number(cell.text) : cell.text;
        case CellKind::member: return cell.class_name + '\n' + cell.text;
        case CellKind::text:
        case CellKind::reference:
        case CellKind::comment: break;
    }
    return cell.text;
}

std::string content_key(const Cell& cell) {
    return static_cast<char>(notation_of(cell.kind)) + key_of(cell);
}

bool same_content(const Cell& a, const Cell& b) {
    if (notation_of(a.kind) != notation_of(b.kind)) return false;
    if (a.kind == CellKind::member && a.class_name != b.class_name) return false;
    if (a.text == b.text) return true;
    return notation_of(a.kind) == Notation::bare && is_number(a.text) && is_number(b.text) &&
           canonical_number(a.text) == canonical_number(b.text);
}

void merge_duplicates(std::vector<Node>& siblings) {
    if (siblings.size() > few || has_duplicate(siblings)) merge_level(siblings);
    for (auto& node : siblings)
        if (!node.children.empty()) merge_duplicates(node.children);
}

std::size_t count_nodes(const std::vector<Node>& nodes) {
    std::size_t count = nodes.size();
    for (const auto& node : nodes) count += count_nodes(node.children);
    return count;
}

}  // namespace tree
