// SPDX-License-Identifier: MIT
#include "compare/headline.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace compare {
namespace {

using tree::Cell;
using tree::CellKind;
using tree::Node;

constexpr std::size_t longest_value = 40;  // bytes of a value in a headline
constexpr std::size_t longest_text = 24;   // of a text, which may be a sentence
constexpr std::size_t longest_tag = 60;
constexpr std::size_t longest_headline = 80;  // bytes after which no further phrase begins
constexpr std::size_t most_phrases = 3;

bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

bool has_plural(const std::string& words) {
    static constexpr auto without = std::to_array<std::string_view>(
        {"of",          "in",   "to",  "by",    "from",  "for",      "with",
         "at",          "on",   "as",  "into",  "a",     "evidence", "info",
         "information", "data", "dna", "about", "other", "number"});
    if (words.starts_with("has ") || words.starts_with("is ")) return false;
    const auto blank = words.rfind(' ');
    const auto last =
        base::fold_ascii(blank == std::string::npos ? words : words.substr(blank + 1));
    if (last.empty() || !is_small(last.back())) return false;
    if ((last.ends_with('s') && !last.ends_with("ss")) || last.ends_with("ed")) return false;
    return std::ranges::find(without, last) == without.end();
}

std::string plural_of(const std::string& words) {
    if (words.ends_with("child")) return words + "ren";
    const auto before_last = words.size() > 1 ? words[words.size() - 2] : ' ';
    constexpr std::string_view vowels = "aeiouAEIOU";
    if (words.ends_with('y') && vowels.find(before_last) == std::string_view::npos)
        return words.substr(0, words.size() - 1) + "ies";
    for (const std::string_view ending : {"ss", "x", "ch", "sh", "z"})
        if (words.ends_with(ending)) return words + "es";
    return words + "s";
}

bool is_text(const Cell& cell) {
    return cell.kind == CellKind::text ||
           (cell.kind == CellKind::reference && cell.class_name == "Text");
}

// Returns a text as titles show it: with one blank for any number of them, and none at the ends.
std::string on_one_line(std::string_view text) {
    std::string line;
    for (const char c : text) {
        const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!is_blank)
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    if (line.ends_with(' ')) line.pop_back();
    return line;
}

bool differ_in_blanks(const Cell& a, const Cell& b) {
    return a.text != b.text && on_one_line(a.text) == on_one_line(b.text);
}

bool has_label(const Cell& cell, std::span<const Reference> references) {
    const auto* reference = reference_of(references, cell);
    return reference != nullptr && !reference->label.empty();
}

std::string whole_text_of(const Cell& cell, std::span<const Reference> references) {
    if (has_label(cell, references)) return reference_of(references, cell)->label;
    if (cell.kind == CellKind::tag) return words_of_tag(cell.text);
    // The time of day says little.
    constexpr std::size_t day = 10;
    if (cell.kind == CellKind::date && cell.text.size() > day) return cell.text.substr(0, day);
    return cell.text;
}

// Returns what a value says if that fits into a headline: the beginning of a long label, but no text
// that may be a sentence.
std::optional<std::string> short_text_of(const Node* node,
                                         std::span<const Reference> references) {
    if (node == nullptr) return std::nullopt;
    auto text = text_of(node->cell, references);
    if (text.empty() || text.find('\n') != std::string::npos) return std::nullopt;
    if (is_text(node->cell) || node->cell.kind == CellKind::comment) {
        if (text.size() > longest_text) return std::nullopt;
        return text.find(' ') == std::string::npos ? text
                                                   : "\xE2\x80\x9C" + text + "\xE2\x80\x9D";
    }
    if (text.size() <= longest_value) return text;
    if (!has_label(node->cell, references)) return std::nullopt;
    return std::string(base::cut_at(text, longest_value)) + "\xE2\x80\xA6";  // U+2026
}

// The words of a field, and of the value that it is about if it lies below one: "paper evidence", " of
// synaptic transmission".
struct FieldWords {
    std::string field, owner;
    bool is_owner_last = false;  // the values lie below that value itself

    [[nodiscard]] std::string all() const { return field + owner; }
};

FieldWords field_words(const FieldChange& change, std::span<const Reference> references) {
    const auto* field = change.field();
    const auto& value = change.values.front().node().cell;
    if (field == nullptr && value.kind == CellKind::tag) return {};
    if (field == nullptr) return {is_text(value) ? "text" : "member", {}};
    FieldWords words{inside_sentence(words_of_tag(base::cut_at(field->text, longest_tag))), {}};
    const auto above = std::find_if(change.path.rbegin(), change.path.rend(),
                                    [](const Cell* cell) { return cell->kind != CellKind::tag; });
    if (above == change.path.rend()) return words;
    const auto text = text_of(**above, references);
    words.is_owner_last = above == change.path.rbegin();
    if (text.empty() || text.size() > longest_value) return words;
    words.owner = (words.is_owner_last ? " " : " of ") + text;
    return words;
}

bool is_comment(const FieldChange& change) {
    return change.values.front().node().cell.kind == CellKind::comment;
}

std::string counted_values(const FieldChange& change, const FieldWords& words) {
    const auto number = change.values.size();
    if (is_comment(change)) return words.all() + ": " + counted(number, "comment");
    if (words.is_owner_last || (number > 1 && !has_plural(words.field)))
        return words.all() + ": " + base::with_separators(number);
    return counted(number, words.field) + words.owner;
}

// A phrase and the changes that it covers.
struct Phrase {
    std::string text;
    std::vector<const FieldChange*> covers;
};

constexpr const char* only_blanks = ": only white space differs";
constexpr const char* empty_text = "(empty)";

// The same, but says of a text that has no words that it is empty.
std::optional<std::string> short_or_empty(const Node* node,
                                          std::span<const Reference> references) {
    if (is_text(node->cell) && on_one_line(node->cell.text).empty()) return empty_text;
    return short_text_of(node, references);
}

std::string replaced_phrase(const FieldChange& change, std::span<const Reference> references) {
    const auto words = field_words(change, references).all();
    const auto& value = change.values.front();
    const auto what = words.empty() ? std::string("tag") : words;
    if (differ_in_blanks(value.before->cell, value.after->cell)) return what + only_blanks;
    const auto before = short_or_empty(value.before, references);
    const auto after = short_or_empty(value.after, references);
    if (before && after && *before != *after)
        return words + (words.empty() ? "" : " ") + *before + std::string(became) + *after;
    // Another object that people call the same.
    const auto& now = value.after->cell.text;
    if (before && after && now.size() <= longest_value && now != value.before->cell.text &&
        has_label(value.after->cell, references))
        return words + " " + *before + ", now " + now;
    if (after == empty_text) return what + " is empty now";
    if (before == empty_text) return what + " is no longer empty";
    if (is_text(value.before->cell) && is_text(value.after->cell)) return what + " reworded";
    return what + " replaced";
}

std::string verb_of(Op op) { return " " + std::string(name_of(op)); }

// Returns what a field says of the values of one change: of a single one what it is if that is short,
// of several how many.
std::string values_phrase(const FieldChange& change, const FieldWords& words,
                          std::span<const Reference> references) {
    if (change.values.size() > 1) return counted_values(change, words);
    const auto value = short_text_of(&change.values.front().node(), references);
    return words.all() + (is_comment(change) ? ": comment" : "") + (value ? " " + *value : "");
}

// Returns the same of a field that lost one value and got another: "status Live removed, Dead added".
// Without models it is unknown whether the new value replaces the old one.
//   returns  nullopt: they are several, or have more than `most` bytes
std::optional<std::string> exchange_phrase(const FieldChange& first, const FieldChange& second,
                                           const FieldWords& words,
                                           std::span<const Reference> references,
                                           std::size_t most) {
    if (first.values.size() > 1 || second.values.size() > 1) return std::nullopt;
    const auto& node = first.values.front().node();
    const auto& other = second.values.front().node();
    if (differ_in_blanks(node.cell, other.cell)) return words.all() + only_blanks;
    const auto value = short_text_of(&node, references), now = short_text_of(&other, references);
    if (!value || !now || *value == *now) return std::nullopt;
    auto text = values_phrase(first, words, references) + verb_of(first.op) + ", " + *now +
                verb_of(second.op);
    if (text.size() > most) return std::nullopt;
    return text;
}

//   most  bytes that the phrase should have; where two values are named it has no more
Phrase phrase_of(std::span<const FieldChange> fields, const FieldChange& change,
                 std::span<const Reference> references, std::size_t most) {
    if (change.op == Op::replaced) return {replaced_phrase(change, references), {&change}};
    const auto words = field_words(change, references);
    // The same field may have lost values too, or got some.
    const auto other = std::ranges::find_if(fields, [&](const FieldChange& each) {
        return &each != &change && !words.field.empty() && each.op != Op::replaced &&
               each.op != change.op && each.rank == change.rank &&
               each.path.size() == change.path.size() &&
               std::ranges::equal(each.path, change.path,
                                  [](const Cell* a, const Cell* b) { return *a == *b; });
    });
    if (words.field.empty())
        return {short_text_of(&change.values.front().node(), references).value_or("tag") +
                    verb_of(change.op),
                {&change}};
    if (other == fields.end())
        return {values_phrase(change, words, references) + verb_of(change.op), {&change}};
    auto text = exchange_phrase(change, *other, words, references, most);
    if (!text)
        text = counted_values(change, words) + verb_of(change.op) + ", " +
               base::with_separators(other->values.size()) + verb_of(other->op);
    return {*text, {&change, &*other}};
}

// What an object says of which all changes are echoes.
std::string echo_headline(std::span<const FieldChange> fields,
                          std::span<const Reference> references) {
    std::size_t values = 0;
    for (const auto& field : fields) values += field.values.size();
    const auto op = fields.front().op;
    const bool is_one_op =
        std::ranges::all_of(fields, [op](const auto& field) { return field.op == op; });
    const auto& value = fields.front().values.front();
    const auto text = text_of(value.node().cell, references);
    const auto number = base::with_separators(values);
    if (!is_one_op) return "follows from changes to other objects, " + number + " references";
    if (op == Op::removed)
        return values == 1 ? "lost its reference to " + text + ", which vanished"
                           : "lost " + number + " references to objects that vanished";
    if (op == Op::added)
        return values == 1
                   ? "has a reference to " + text + ", which was created in the same release"
                   : "has " + number + " references to objects created in the same release";
    return values == 1
               ? begins_sentence(replaced_phrase(fields.front(), references))
               : number +
                     " references replaced by references to objects created in the same release";
}

std::string rest_of(std::span<const FieldChange> fields,
                    const std::set<const FieldChange*>& covered) {
    std::set<std::size_t> told, more;
    bool is_minor = true;
    for (const auto& field : fields)
        if (covered.contains(&field))
            for (const auto& value : field.values) told.insert(value.number);
    for (const auto& field : fields) {
        if (covered.contains(&field)) continue;
        is_minor = is_minor && field.rank == Rank::minor;
        for (const auto& value : field.values)
            if (!told.contains(value.number)) more.insert(value.number);
    }
    if (more.empty()) return {};
    const std::string kind = is_minor ? " minor change" : " more change";
    return ", " + base::with_separators(more.size()) + kind + (more.size() == 1 ? "" : "s");
}

}  // namespace

std::string words_of_tag(std::string_view tag) {
    std::string words(tag);
    std::ranges::replace(words, '_', ' ');
    return base::without_directions(std::move(words));
}

std::string inside_sentence(std::string words) {
    const bool is_word = words.size() > 1 && is_capital(words[0]) && is_small(words[1]);
    if (is_word) words[0] = static_cast<char>(words[0] - 'A' + 'a');
    return words;
}

std::string begins_sentence(std::string words) {
    if (!words.empty() && is_small(words[0])) words[0] = static_cast<char>(words[0] - 'a' + 'A');
    return words;
}

std::string counted(std::size_t number, const std::string& words) {
    if (number == 1) return "1 " + words;
    if (!has_plural(words)) return words + ": " + base::with_separators(number);
    return base::with_separators(number) + " " + plural_of(words);
}

std::string text_of(const Cell& cell, std::span<const Reference> references) {
    return base::without_directions(whole_text_of(cell, references));
}

std::string headline_of(std::span<const FieldChange> fields,
                        std::span<const Reference> references) {
    if (fields.empty()) return {};
    if (fields.front().rank == Rank::echo) return echo_headline(fields, references);
    std::string headline;
    std::set<const FieldChange*> covered;
    std::size_t phrases = 0;
    const auto leading = fields.front().rank;
    for (const auto& field : fields) {
        if (covered.contains(&field)) continue;
        // Leading changes are named; minor ones are only counted.
        if (field.rank > leading && field.rank >= Rank::minor) break;
        const auto room = longest_headline - std::min(longest_headline, headline.size());
        auto phrase = phrase_of(fields, field, references, room);
        if (!headline.empty() && headline.size() + phrase.text.size() > longest_headline) break;
        headline += (headline.empty() ? "" : ", ") + phrase.text;
        covered.insert(phrase.covers.begin(), phrase.covers.end());
        if (++phrases == most_phrases) break;
    }
    return begins_sentence(headline) + rest_of(fields, covered);
}

}  // namespace compare
