// SPDX-License-Identifier: MIT
#include "compare/headline.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "compare/unseen_difference.hpp"

namespace compare {
namespace {

using base::count_characters;
using tree::Cell;
using tree::CellKind;
using tree::Node;

constexpr std::size_t longest_value = 40;  // bytes of a value in a headline
constexpr std::size_t least_text = 24,
                      longest_text = 80;  // characters of a text: as there is room
constexpr std::size_t longest_tag = 60, longest_path = 100;
// Bytes after which no further phrase begins; a phrase of two values has no less than `least_room`.
constexpr std::size_t longest_title = 100, longest_more = 300, least_room = 40;
constexpr std::size_t most_phrases = 3;
constexpr std::size_t most_named = 3;  // values of one field that a title names
// Bytes of the values of one field, and of what came with one tag, behind a title.
constexpr std::size_t longest_names = 120, longest_subtree = 160;
constexpr const char* empty_text = "(empty)";
constexpr std::string_view ellipsis = "\xE2\x80\xA6";

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
    constexpr std::string_view vowels = "aeiouAEIOU";
    if (words.size() > 1 && words.ends_with('y') &&
        vowels.find(words[words.size() - 2]) == std::string_view::npos)
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

// Returns a text as it stands in a sentence: isolated, and in quotes if it has several words, so that the sentence does
// not run on into it, or if it says what stands for no text.
std::string set_off(std::string_view text) {
    const auto isolated = base::isolated(text);
    const bool is_plain = text.find(' ') == std::string_view::npos && text != empty_text;
    return is_plain ? isolated : "\xE2\x80\x9C" + isolated + "\xE2\x80\x9D";
}

// Returns what a value says if that fits: the beginning of a long label, but no part of a text.
//   most  characters of a text, and bytes of others
std::optional<std::string> short_text_of(const Node* node, std::span<const Reference> references,
                                         std::size_t most) {
    if (node == nullptr) return std::nullopt;
    auto text = text_of(node->cell, references);
    if (text.find('\n') != std::string::npos) return std::nullopt;
    if (is_text(node->cell) || node->cell.kind == CellKind::comment) {
        if (count_characters(text) > most) return std::nullopt;
        text = on_one_line(text);
        return text.empty() ? empty_text : set_off(text);
    }
    if (text.empty()) return std::nullopt;
    const bool is_tag = node->cell.kind == CellKind::tag;
    const auto longest = std::min(longest_value, most);
    if (text.size() <= longest) return is_tag ? base::isolated(text) : set_off(text);
    if (!has_label(node->cell, references)) return std::nullopt;
    return set_off(std::string(base::cut_at(text, longest)).append(ellipsis));
}

// What a field is called: its tag, those above that tell it from others, and the value that it is about if it lies
// below one: "translations hrv" and "official"; "paper evidence" and " of synaptic transmission".
struct FieldWords {
    std::string above, field, owner;
    bool lies_in_value = false;  // without a tag between: a value would run on into the owner

    // In front of a value.
    [[nodiscard]] std::string all() const {
        return (above.empty() ? "" : above + ": ") + field + owner + (lies_in_value ? ":" : "");
    }
    [[nodiscard]] std::string in_front_of_comment() const {
        return all() + (lies_in_value ? " comment" : ": comment");
    }
    // In front of what is said of the field itself.
    [[nodiscard]] std::string in_a_row() const {
        return (above.empty() ? "" : above + " ") + field + owner;
    }
};

std::string words_of_path(std::span<const Cell* const> tags) {
    std::string words;
    for (const auto* tag : tags) {
        const auto word = inside_sentence(words_of_tag(base::cut_at(tag->text, longest_tag)));
        if (words.size() + word.size() > longest_path) {
            words += words.ends_with(ellipsis) ? "" : ellipsis;
            continue;
        }
        words.append(words.empty() ? "" : " ").append(base::isolated(word));
    }
    return words;
}

FieldWords field_words(const FieldChange& change, std::span<const Reference> references) {
    const auto* field = change.field();
    const auto& value = change.values.front().node().cell;
    if (field == nullptr && value.kind == CellKind::tag) return {};
    if (field == nullptr)
        return {.above = {}, .field = is_text(value) ? "text" : "member", .owner = {}};
    auto [tags_above, tag] = tags_of(change);
    FieldWords words{.above = std::move(tags_above), .field = std::move(tag), .owner = {}};
    std::string values;
    std::size_t bytes = 0;
    // The innermost say most.
    for (const auto* cell : change.path | std::views::reverse) {
        if (cell->kind == CellKind::tag) continue;
        const auto text = on_one_line(text_of(*cell, references));
        bytes += text.size();
        if (text.empty() || bytes > longest_value) break;
        values = set_off(text) + (values.empty() ? "" : ", ") + values;
    }
    if (values.empty()) return words;
    words.lies_in_value = change.path.back()->kind != CellKind::tag;
    words.owner = (words.lies_in_value ? " " : " of ") + values;
    return words;
}

bool is_comment(const FieldChange& change) {
    return change.values.front().node().cell.kind == CellKind::comment;
}

std::string verb_of(Op op) { return " " + std::string(name_of(op)); }

using Covered = std::set<const FieldChange*>;

// A phrase and the changes that it covers.
struct Phrase {
    std::string text;
    std::vector<const FieldChange*> covers;
    bool lacks_names = false;  // of values that have some
};

// Makes a phrase of a change, and of what belongs to it.
class PhraseMaker {
   public:
    PhraseMaker(std::span<const FieldChange> fields, std::span<const Reference> references)
        : fields_(fields), references_(references) {}

    //   room     bytes that the phrase should have
    //   covered  changes that other phrases tell
    [[nodiscard]] Phrase phrase_of(const FieldChange& change, std::size_t room,
                                   const Covered& covered) const {
        const auto most = std::clamp(room, least_text, longest_text);
        if (change.op == Op::replaced) {
            auto text = replaced(change, most);
            const bool lacks_names = text != replaced(change, longest_text);
            return {std::move(text), {&change}, lacks_names};
        }
        if (auto phrase = subtree(change, room)) return std::move(*phrase);
        const auto words = field_words(change, references_);
        if (words.field.empty())
            return {value_of(change, most).value_or("tag") + verb_of(change.op), {&change}};
        const auto* other = other_side_of(change);
        if (other != nullptr && !covered.contains(other))
            return exchange(change, *other, words, room);
        if (auto names = names_in_title(change, words, room))
            return {std::move(*names) + verb_of(change.op), {&change}};
        return {values(change, words, most) + verb_of(change.op),
                {&change},
                change.values.size() > 1};
    }

    // "Depends: “libc6 (>= 2.36)”, ucf added, “libc6 (>= 2.34)” removed"; empty if the values have no names.
    //   changes  of one field
    [[nodiscard]] std::string named(std::span<const FieldChange* const> changes) const {
        if (changes.front()->op == Op::replaced) return replaced(*changes.front(), longest_text);
        if (const auto phrase = subtree(*changes.front(), longest_subtree)) return phrase->text;
        std::string text;
        for (const auto* change : changes) {
            const auto names = names_of(*change, longest_names);
            if (!names) return {};
            text += (text.empty() ? field_words(*change, references_).in_a_row() + ": " : ", ") +
                    *names + verb_of(change->op);
        }
        return text;
    }

    [[nodiscard]] std::string replaced(const FieldChange& change, std::size_t most) const {
        const auto words = field_words(change, references_);
        const auto& value = change.values.front();
        const auto what = words.field.empty() ? std::string("tag") : words.in_a_row();
        const auto unseen = unseen_difference(value.before->cell.text, value.after->cell.text);
        if (!unseen.empty()) return what + ": " + unseen;
        const auto before = short_text_of(value.before, references_, most);
        const auto after = short_text_of(value.after, references_, most);
        const auto space = words.field.empty() ? "" : " ";
        if (before && after && *before != *after)
            return words.all() + space + *before + std::string(became) + *after;
        // Another object that people call the same.
        const auto& now = value.after->cell.text;
        if (before && after && now.size() <= longest_value && now != value.before->cell.text &&
            has_label(value.after->cell, references_))
            return words.all() + " " + *before + ", now " +
                   base::isolated(base::without_directions(now));
        if (after == empty_text) return what + " is empty now";
        if (before == empty_text) return what + " is no longer empty";
        // Of a text that is short, another one is another value rather than another wording.
        const auto is_prose = [](const Node* node) {
            return is_text(node->cell) && count_characters(node->cell.text) > longest_text &&
                   node->cell.text.find(' ') != std::string::npos;
        };
        const bool are_prose = is_prose(value.before) || is_prose(value.after);
        const std::string_view then = value.before->cell.text, today = value.after->cell.text;
        if (are_prose && today.starts_with(then)) return what + " extended";
        if (are_prose && then.starts_with(today)) return what + " shortened";
        return what + (are_prose ? " reworded" : " replaced");
    }

   private:
    [[nodiscard]] std::optional<std::string> value_of(const FieldChange& change,
                                                      std::size_t most) const {
        return short_text_of(&change.values.front().node(), references_, most);
    }

    // Returns what the values of one change say, "a, b, …" where not all of them fit; nullopt: some of the first have no
    // short name.
    //   most  bytes
    [[nodiscard]] std::optional<std::string> names_of(const FieldChange& change,
                                                      std::size_t most) const {
        std::string names;
        for (const auto& value : change.values) {
            const auto name = short_text_of(&value.node(), references_, longest_value);
            if (!name || is_comment(change)) return std::nullopt;
            if (!names.empty() && names.size() + name->size() > most)
                return names.append(", ").append(ellipsis);
            names.append(names.empty() ? "" : ", ").append(*name);
        }
        return names;
    }

    // "Depends: adduser, ucf": of a few values that fit all.
    [[nodiscard]] std::optional<std::string> names_in_title(const FieldChange& change,
                                                            const FieldWords& words,
                                                            std::size_t room) const {
        const auto number = change.values.size();
        if (number < 2 || number > most_named) return std::nullopt;
        const auto names = names_of(change, room);
        auto text = words.in_a_row() + ": " + names.value_or("");
        if (!names || names->ends_with(ellipsis) || text.size() > room) return std::nullopt;
        return text;
    }

    // What a field says of the values of one change: of a single one what it is if that is short, of several how many.
    [[nodiscard]] std::string values(const FieldChange& change, const FieldWords& words,
                                     std::size_t most) const {
        const auto number = change.values.size();
        if (number > 1)
            return words.in_a_row() + ": " +
                   (is_comment(change) ? counted(number, "comment")
                                       : base::with_separators(number));
        const auto value = value_of(change, most);
        if (is_comment(change)) return words.in_front_of_comment() + (value ? " " + *value : "");
        return value ? words.all() + " " + *value : words.in_a_row();
    }

    // The same field may have lost values too, or got some.
    [[nodiscard]] const FieldChange* other_side_of(const FieldChange& change) const {
        const auto found = std::ranges::find_if(fields_, [&](const FieldChange& each) {
            return &each != &change && each.op != Op::replaced && each.op != change.op &&
                   each.rank == change.rank && same_path(each.path, change.path);
        });
        return found == fields_.end() ? nullptr : &*found;
    }

    // "status Live removed, Dead added": without models it is unknown whether the new value replaces the old one.
    [[nodiscard]] Phrase exchange(const FieldChange& first, const FieldChange& second,
                                  const FieldWords& words, std::size_t room) const {
        const Phrase numbers{words.in_a_row() + ": " +
                                 base::with_separators(first.values.size()) + verb_of(first.op) +
                                 ", " + base::with_separators(second.values.size()) +
                                 verb_of(second.op),
                             {&first, &second},
                             true};
        if (first.values.size() > 1 || second.values.size() > 1) return numbers;
        const auto unseen = unseen_difference(first.values.front().node().cell.text,
                                              second.values.front().node().cell.text);
        if (!unseen.empty()) return {words.in_a_row() + ": " + unseen, {&first, &second}};
        const auto value = value_of(first, longest_text), now = value_of(second, longest_text);
        if (!value || !now || *value == *now) return numbers;
        const bool has_both = is_comment(first) != is_comment(second);
        auto text = (is_comment(first) ? words.in_front_of_comment() : words.all()) + " " +
                    *value + verb_of(first.op) + ", " +
                    (!has_both            ? ""
                     : is_comment(second) ? "comment "
                                          : "value ") +
                    *now + verb_of(second.op);
        if (text.size() > std::max(room, least_room)) return numbers;
        return {std::move(text), {&first, &second}};
    }

    // "currencies EUR added: name Euro, symbol €": a tag that came or went with several fields below it.
    //   returns  nullopt: it is no such tag, or what is above the fields is not shown
    [[nodiscard]] std::optional<Phrase> subtree(const FieldChange& change,
                                                std::size_t room) const {
        const auto number = change.values.front().number;
        const auto first = fields_.begin() + (&change - fields_.data());
        auto last = std::next(first);
        const auto belongs = [&](const FieldChange& each) {
            return each.values.front().number == number && each.values.back().number == number &&
                   each.op == change.op && each.rank == change.rank;
        };
        if (!belongs(change) || change.path.empty()) return std::nullopt;
        while (last != fields_.end() && belongs(*last)) ++last;
        if (std::distance(first, last) == 1) return std::nullopt;
        const std::span path(change.path);
        auto shared = path.size();
        for (auto each = std::next(first); each != last; ++each)
            while (shared > 0 &&
                   !same_path(path.first(shared),
                              std::span(each->path).first(std::min(shared, each->path.size()))))
                --shared;
        if (shared <= change.telling) return std::nullopt;
        Phrase phrase{words_of_path(path.subspan(change.telling, shared - change.telling)) +
                          verb_of(change.op),
                      {}};
        auto separator = ": ";
        const auto longest = std::max(room, least_room);
        for (auto each = first; each != last; ++each) {
            phrase.covers.push_back(&*each);
            auto below = *each;
            below.telling = shared;
            auto words = field_words(below, references_);
            words = {.above = {}, .field = words.in_a_row(), .owner = {}};
            // Values of the tag itself need no name.
            const auto number_of_values = each->values.size();
            const auto most = std::clamp(longest - std::min(longest, phrase.text.size()),
                                         least_text, longest_text);
            const auto text = each->path.size() > shared ? values(below, words, most)
                              : number_of_values > 1     ? counted(number_of_values, "value")
                                                     : value_of(below, most).value_or("a value");
            // A name without its value would seem to have that of the next one.
            const bool lacks_value = number_of_values == 1 && !value_of(below, most);
            if (lacks_value || phrase.text.size() + text.size() > longest) {
                phrase.lacks_names = true;
                continue;
            }
            phrase.text.append(std::exchange(separator, ", ")).append(text);
        }
        if (phrase.lacks_names && separator == std::string_view(", "))
            phrase.text.append(separator).append(ellipsis);
        return phrase;
    }

    static bool same_path(std::span<const Cell* const> a, std::span<const Cell* const> b) {
        return std::ranges::equal(a, b, [](const Cell* x, const Cell* y) { return *x == *y; });
    }

    std::span<const FieldChange> fields_;
    std::span<const Reference> references_;
};

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
        return values == 1 ? "lost its reference to " + set_off(text) + ", which vanished"
                           : "lost " + number + " references to objects that vanished";
    if (op == Op::added)
        return values == 1
                   ? "has a reference to " + set_off(text) +
                         ", which was created in the same release"
                   : "has " + number + " references to objects created in the same release";
    if (values > 1)
        return number +
               " references replaced by references to objects created in the same release";
    if (text == text_of(value.before->cell, references) && text != value.after->cell.text)
        return base::isolated(text) + " has a new record, " +
               base::isolated(base::without_directions(value.after->cell.text));
    return begins_sentence(
        PhraseMaker(fields, references).replaced(fields.front(), longest_text));
}

// Counts the changes that phrases say nothing of.
std::string rest_of(std::span<const FieldChange> fields, const Covered& covered,
                    std::size_t unlisted) {
    std::set<std::size_t> told, more;
    bool is_minor = unlisted == 0;
    for (const auto& field : fields)
        if (covered.contains(&field))
            for (const auto& value : field.values) told.insert(value.number);
    for (const auto& field : fields) {
        if (covered.contains(&field)) continue;
        is_minor = is_minor && field.rank == Rank::minor;
        for (const auto& value : field.values)
            if (!told.contains(value.number)) more.insert(value.number);
    }
    const auto number = more.size() + unlisted;
    if (number == 0) return {};
    return base::with_separators(number) + (is_minor ? " minor change" : " more change") +
           (number == 1 ? "" : "s");
}

// Looks for what introduces an object: a description, a sentence, or the value below the fewest tags; of each the first.
class Introduction {
   public:
    Introduction(std::string_view label, std::span<const Reference> references)
        : label_(label), references_(references) {}

    //   tags  above the node
    void collect(const Node& node, const Cell* tag, std::size_t tags) {
        const auto& cell = node.cell;
        if (cell.kind == CellKind::tag) {
            tag = &cell;
            ++tags;
        } else if (cell.text != label_ && tag != nullptr) {
            const bool is_sentence = is_text(cell) && std::ranges::count(cell.text, ' ') > 2;
            const auto rank = is_sentence && describes(tag->text) ? 0U : is_sentence ? 1U : 2U;
            auto& found = found_.at(rank);
            if (found.cell == nullptr || (rank == 2 && tags < found.tags))
                found = {tag, &cell, tags};
        }
        for (const auto& child : node.children) collect(child, tag, tags);
    }

    [[nodiscard]] Headline headline() const {
        const auto found =
            std::ranges::find_if(found_, [](const Found& each) { return each.cell != nullptr; });
        if (found == found_.end()) return {};
        auto text = on_one_line(text_of(*found->cell, references_));
        if (found == std::prev(found_.end()))
            return {begins_sentence(base::isolated(words_of_tag(found->tag->text)) + " " +
                                    set_off(cut(text, longest_value))),
                    {}};
        if (text.size() <= longest_title) return {base::isolated(text), {}};
        return {base::isolated(cut(text, longest_title)),
                base::isolated(cut(text, longest_more))};
    }

   private:
    struct Found {
        const Cell *tag = nullptr, *cell = nullptr;
        std::size_t tags = 0;
    };
    static bool describes(std::string_view tag) {
        const auto folded = base::fold_ascii(tag);
        if (folded == "def") return true;
        return std::ranges::any_of(
            std::to_array<std::string_view>({"definition", "description", "abstract", "summary"}),
            [&](std::string_view word) { return folded.find(word) != std::string::npos; });
    }
    // Cuts a text behind a word.
    static std::string cut(const std::string& text, std::size_t most) {
        if (text.size() <= most) return text;
        const auto beginning = base::cut_at(text, most);
        const auto blank = beginning.rfind(' ');
        return std::string(blank < most / 2 || blank == std::string_view::npos
                               ? beginning
                               : beginning.substr(0, blank))
            .append(ellipsis);
    }

    std::string_view label_;
    std::span<const Reference> references_;
    std::array<Found, 3> found_{};
};

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

TagWords tags_of(const FieldChange& change) {
    const std::span path(change.path);
    auto end = path.size();
    while (end > 0 && path[end - 1]->kind != CellKind::tag) --end;
    if (end == 0) return {};
    TagWords words{.above = {}, .tag = words_of_path(path.subspan(end - 1, 1))};
    if (change.telling < end - 1)
        words.above = words_of_path(path.subspan(change.telling, end - 1 - change.telling));
    return words;
}

std::string text_of(const Cell& cell, std::span<const Reference> references) {
    return base::without_directions(whole_text_of(cell, references));
}

Headline introduction_of(std::span<const Change> changes, std::string_view label,
                         std::span<const Reference> references) {
    Introduction introduction(label, references);
    for (const auto& change : changes)
        for (const auto& node : change.after) introduction.collect(node, nullptr, 0);
    return introduction.headline();
}

std::string several(std::string_view class_name) {
    const auto words = inside_sentence(words_of_tag(class_name));
    return has_plural(words) ? plural_of(words) : "objects of class " + std::string(class_name);
}

Headline headline_of(std::span<const FieldChange> fields, std::span<const Reference> references,
                     std::size_t unlisted) {
    if (fields.empty()) return {};
    if (fields.front().rank == Rank::echo)
        return {echo_headline(fields, references), {}, Rank::echo};
    const PhraseMaker maker(fields, references);
    Covered covered;
    std::vector<Phrase> unnamed;
    const auto append = [&](std::string& line, const FieldChange& field, std::size_t longest) {
        const auto room = longest - std::min(longest, line.size());
        auto phrase = maker.phrase_of(field, room, covered);
        if (!line.empty() && phrase.text.size() > room)
            phrase = maker.phrase_of(field, 0, covered);
        if (!line.empty() && phrase.text.size() > room) return false;
        line += (line.empty() ? "" : ", ") + phrase.text;
        covered.insert(phrase.covers.begin(), phrase.covers.end());
        if (phrase.lacks_names) unnamed.push_back(std::move(phrase));
        return true;
    };
    const auto leading = fields.front().rank;
    const auto* field_of_title = fields.front().field();
    Headline headline{.title = {}, .more = {}, .rank = leading};
    if (field_of_title != nullptr) headline.field = words_of_tag(field_of_title->text);
    std::size_t phrases = 0;
    for (const auto& field : fields) {
        if (covered.contains(&field)) continue;
        // Leading changes are named; minor ones are only counted.
        if ((field.rank > leading && field.rank >= Rank::minor) || phrases == most_phrases) break;
        if (!append(headline.title, field, longest_title)) break;
        ++phrases;
    }
    headline.title = begins_sentence(std::move(headline.title));
    for (const auto& phrase : std::exchange(unnamed, {})) {
        const auto names = maker.named(phrase.covers);
        if (names.empty() || names == phrase.text ||
            headline.more.size() + names.size() > longest_more)
            continue;
        headline.more.append(headline.more.empty() ? "" : ", ").append(names);
    }
    const auto rest = rest_of(fields, covered, unlisted);
    if (!rest.empty()) headline.title += ", " + rest;
    for (const auto& field : fields) {
        if (covered.contains(&field)) continue;
        if (field.rank == Rank::echo || !append(headline.more, field, longest_more)) break;
    }
    headline.more = begins_sentence(std::move(headline.more));
    if (const auto left = rest_of(fields, covered, unlisted);
        !headline.more.empty() && !left.empty())
        headline.more += ", " + left;
    return headline;
}

}  // namespace compare
