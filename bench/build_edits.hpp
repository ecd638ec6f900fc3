// bench/build_edits.hpp -- what the next release does to an object: edits of its content, and
// new stamps on the same content.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "build_draft.hpp"
#include "build_pen.hpp"
#include "build_shapes.hpp"

namespace bench {

// Tags below which several values may stand; those whose values take #Evidence.
inline bool takes_more(std::string_view tag) {
    static constexpr std::array<std::string_view, 17> some{"Allele",
                                                           "Strain",
                                                           "RNAi_result",
                                                           "Other_name",
                                                           "Gene",
                                                           "Paper",
                                                           "Genes",
                                                           "Reference",
                                                           "Remark",
                                                           "Author",
                                                           "Phenotype_remark",
                                                           "Pattern",
                                                           "Email",
                                                           "Mail",
                                                           "Pep_homol",
                                                           "Synonym_for",
                                                           "Generalisation_of"};
    return std::find(some.begin(), some.end(), tag) != some.end();
}
inline bool takes_evidence(std::string_view tag) {
    static constexpr std::array<std::string_view, 7> some{
        "CGC_name",    "Allele", "Concise_description", "Corresponding_CDS",
        "RNAi_result", "Remark", "Phenotype_remark"};
    return std::find(some.begin(), some.end(), tag) != some.end();
}

// Another text of the same kind: the next number, letter, or a longer sentence.
inline std::string varied(std::string_view text, Chance& chance) {
    std::string other(text);
    if (other.empty()) return "1";
    auto& last = other.back();
    const auto step = static_cast<int>(1 + chance.below(8));
    if (last >= '0' && last <= '9')
        last = static_cast<char>('0' + (last - '0' + step) % 10);
    else if (last >= 'a' && last <= 'z' && other.size() < 20)
        last = static_cast<char>('a' + (last - 'a' + step) % 26);
    else
        other += ", revised";
    return other;
}

class Editor {
   public:
    // version: of the release that is edited into.
    Editor(Draft& draft, Chance chance, std::string version)
        : draft_(draft), chance_(chance), version_(std::move(version)),
          stamp_(Stamps::fresh_for_next(chance_)) {}

    // One to four edits, here and there in the tree; the nodes differ afterwards.
    void change() {
        if (!draft_.items.empty() && edit_array()) return;
        const auto before = nodes_of(draft_);
        for (auto n = 1 + chance_.below(4); n > 0; --n) edit();
        if (nodes_of(draft_) == before) add_remark();
    }

    // Other stamps and another order of siblings, the same content.
    void restamp() {
        bool done = false;
        for (auto& item : draft_.items) done |= restamp(item.stamp);
        if (!restamp(draft_.created) && !done) draft_.created = Stamps::old(chance_);
        if (chance_.one_in(2)) turn_siblings();
    }

   private:
    // Array objects hold values alone: one item, or the members of a KeySet.
    bool edit_array() {
        const auto at = chance_.below(draft_.items.size());
        const auto notation = draft_.items[at].notation;
        std::string text(draft_.text(draft_.items[at]));
        if (notation == Notation::lines)
            text += "\nRevised in " + version_ + '.';
        else if (notation == Notation::letters)
            text[text.size() / 2] = text[text.size() / 2] == 'A' ? 'C' : 'A';
        else if (notation == Notation::member)
            return edit_member(text);
        else
            return false;
        draft_.set_text(at, text);
        return true;
    }
    bool edit_member(const std::string& member) {
        if (draft_.items.size() > 1 && chance_.one_in(2))
            draft_.erase(0, 1);
        else
            draft_.insert(draft_.items.size(), 0, {Notation::member, member + version_}, 0);
        return true;
    }

    void edit() {
        if (draft_.items.empty()) return add_remark();
        const auto at = chance_.below(draft_.items.size());
        const auto value = value_from(at);
        const auto what = chance_.below(8);
        if (what < 2) return remove(at);
        if (what == 2 || value == draft_.items.size()) return turn_tag(at);
        if (what == 3 && takes_more(tag_of(value))) return add_beside(value);
        if (what == 4 && takes_evidence(tag_of(value))) return add_evidence(value);
        if (what == 5) return add_remark();
        replace(value);
    }
    // The first value at `at` or behind it.
    [[nodiscard]] std::size_t value_from(std::size_t at) const {
        while (at < draft_.items.size() && draft_.items[at].notation != Notation::quoted &&
               !is_number(at))
            ++at;
        return at;
    }
    [[nodiscard]] bool is_number(std::size_t i) const {
        const auto text = draft_.text(draft_.items[i]);
        return draft_.items[i].notation == Notation::bare &&
               ((text[0] >= '0' && text[0] <= '9') || text[0] == '-');
    }
    [[nodiscard]] std::string_view tag_of(std::size_t i) const {
        return draft_.text(draft_.items[draft_.parent_of(i)]);
    }
    [[nodiscard]] bool has_sibling(std::size_t i, Cell cell) const {
        const auto above = draft_.parent_of(i);
        const bool top = draft_.items[i].depth == 0;
        const auto begin = top ? 0 : above + 1;
        const auto end = top ? draft_.items.size() : draft_.end_of(above);
        return draft_.child(begin, end, draft_.items[i].depth, cell) != end;
    }

    void replace(std::size_t at) {
        const auto notation = draft_.items[at].notation;
        const auto other = varied(draft_.text(draft_.items[at]), chance_);
        if (has_sibling(at, {notation, other})) return add_remark();
        draft_.set_text(at, other);
        draft_.items[at].stamp = stamp_;
    }
    // A tag that stands for one of two states, to the other.
    void turn_tag(std::size_t at) {
        static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> states{
            {{"Live", "Dead"},
             {"Valid", "Invalid"},
             {"Confirmed", "Predicted"},
             {"Biological_process", "Cellular_component"},
             {"Recessive", "Semi_dominant"}}};
        for (const auto& [one, other] : states) {
            if (!draft_.is(at, bare(one)) || has_sibling(at, bare(other))) continue;
            draft_.set_text(at, other);
            draft_.items[at].stamp = stamp_;
            return;
        }
        add_remark();
    }
    // With the tags above that have nothing else below them, as AceDB removes a value.
    void remove(std::size_t at) {
        for (auto above = draft_.parent_of(at); above != at; above = draft_.parent_of(at)) {
            const bool alone = above + 1 == at && draft_.end_of(at) == draft_.end_of(above);
            if (!alone || draft_.items[above].notation != Notation::bare || is_number(above))
                break;
            at = above;
        }
        draft_.erase(at, draft_.end_of(at));
    }
    void add_beside(std::size_t at) {
        const auto depth = draft_.items[at].depth;
        const auto notation = draft_.items[at].notation;
        const auto other = varied(draft_.text(draft_.items[at]), chance_);
        if (has_sibling(at, {notation, other})) return add_remark();
        draft_.insert(draft_.end_of(at), depth, {notation, other}, stamp_);
    }
    void add_evidence(std::size_t at) {
        const auto depth = draft_.items[at].depth;
        const auto paper = padded("WBPaper", 1 + chance_.below(90000), 8);
        const auto end = draft_.end_of(at);
        const auto tag = draft_.child(at + 1, end, depth + 1U, bare("Paper_evidence"));
        if (tag != end && has_sibling(tag + 1, in_quotes(paper))) return add_remark();
        if (tag == end) draft_.insert(at + 1, depth + 1U, bare("Paper_evidence"), stamp_);
        const auto below = (tag == end ? at + 1 : tag) + 1;
        draft_.insert(below, depth + 2U, in_quotes(paper), stamp_);
    }
    void add_remark() {
        const auto words = prose(chance_, 40) + " (" + version_ + ')';
        const auto person = padded("WBPerson", 1 + chance_.below(9000), 1);
        draft_.add_path(stamp_, {bare("Remark"), in_quotes(words), bare("Curator_confirmed"),
                                 in_quotes(person)});
    }

    // The build loads itself anew; a curator's session now and then goes by another name.
    bool restamp(Stamp& stamp) {
        if (stamp == Stamps::loading) {
            stamp = Stamps::next_loading;
            return true;
        }
        if (stamp == 0 || !chance_.one_in(4)) return false;
        const auto before = std::exchange(stamp, Stamps::old(chance_));
        return stamp != before;
    }
    // The first of some siblings goes behind the last.
    void turn_siblings() {
        const auto size = draft_.items.size();
        if (size < 2) return;
        const auto at = chance_.below(size);
        const auto above = draft_.parent_of(at);
        const bool top = draft_.items[at].depth == 0;
        const auto begin = top ? 0 : above + 1;
        const auto end = top ? size : draft_.end_of(above);
        const auto place = [&](std::size_t i) {
            return draft_.items.begin() + static_cast<std::ptrdiff_t>(i);
        };
        std::rotate(place(begin), place(draft_.end_of(begin)), place(end));
    }

    Draft& draft_;
    Chance chance_;
    std::string version_;
    Stamp stamp_;  // of the curator's session that edits
};

}  // namespace bench
