// bench/build_draft.hpp -- one object as the generator holds it: its nodes in the order of the
// dump, in one flat list that keeps its memory from object to object; and the bytes and the
// nodes of it that are written out.
// Nothing of the product is used here, so that a test may hold the two against each other.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

// Random numbers that are the same on every machine (splitmix64).
class Chance {
   public:
    explicit Chance(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15U;
        auto z = state_;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31U);
    }
    // 0 ... n - 1, n below 2^32; 0 when n is 0.
    std::uint64_t below(std::uint64_t n) { return ((next() >> 32U) * n) >> 32U; }
    bool one_in(std::uint64_t n) { return below(n) == 0; }

   private:
    std::uint64_t state_;
};

inline std::uint64_t mixed(std::uint64_t a, std::uint64_t b) { return Chance(a ^ b * 31).next(); }

// member: "Class\nname". lines: a LongText. letters: a DNA or Peptide.
enum class Notation : std::uint8_t { bare, quoted, comment, member, lines, letters };

struct Cell {
    Notation notation = Notation::bare;
    std::string_view text;
};
inline Cell bare(std::string_view text) { return {Notation::bare, text}; }
inline Cell in_quotes(std::string_view text) { return {Notation::quoted, text}; }
inline Cell comment(std::string_view text) { return {Notation::comment, text}; }

using Stamp = std::uint16_t;  // a place in Stamps; 0: none

struct Item {
    std::uint32_t begin = 0, length = 0;  // of its text
    Stamp stamp = 0;
    std::uint16_t depth = 0;  // 0: a first tag
    Notation notation = Notation::bare;
};

class Draft {
   public:
    std::string_view class_name;
    std::string name;
    Stamp created = 0;
    std::vector<Item> items;  // each before those below it

    void clear() {
        items.clear();
        text_.clear();
    }
    [[nodiscard]] std::string_view text(const Item& item) const {
        return std::string_view(text_).substr(item.begin, item.length);
    }
    [[nodiscard]] bool is(std::size_t i, Cell cell) const {
        return items[i].notation == cell.notation && text(items[i]) == cell.text;
    }
    // Behind the last node below i.
    [[nodiscard]] std::size_t end_of(std::size_t i) const {
        auto end = i + 1;
        while (end < items.size() && items[end].depth > items[i].depth) ++end;
        return end;
    }
    // The node above i; i itself for a first tag.
    [[nodiscard]] std::size_t parent_of(std::size_t i) const {
        if (items[i].depth == 0) return i;
        auto above = i;
        while (items[above].depth >= items[i].depth) --above;
        return above;
    }

    // One line of the dump: what it shares with the line before is there already, the rest is
    // stamped. Values of one column must come once, and together with all that hangs on them.
    void row(Stamp stamp, std::initializer_list<Cell> cells) {
        std::size_t depth = 0;
        bool shared = !items.empty();
        for (const auto& cell : cells) {
            shared = shared && depth < open_depth_ && is(open_[depth], cell);
            if (!shared) append(depth, cell, stamp);
            ++depth;
        }
        open_depth_ = depth;
    }

    // Puts the path into an object that is finished, behind what it shares with it.
    void add_path(Stamp stamp, const std::vector<Cell>& cells) {
        std::size_t at = 0, end = items.size();
        for (std::size_t depth = 0; depth < cells.size(); ++depth) {
            const auto found = child(at, end, depth, cells[depth]);
            if (found == end) {
                insert(end, depth, cells[depth], stamp);
                at = end = end + 1;
            } else {
                at = found + 1;
                end = end_of(found);
            }
        }
    }
    // The node of this content among those of `depth` in [at, end), or end.
    [[nodiscard]] std::size_t child(std::size_t at, std::size_t end, std::size_t depth,
                                    Cell cell) const {
        while (at < end && !(items[at].depth == depth && is(at, cell))) ++at;
        return at;
    }
    void insert(std::size_t at, std::size_t depth, Cell cell, Stamp stamp) {
        items.insert(items.begin() + static_cast<std::ptrdiff_t>(at), made(depth, cell, stamp));
    }
    void set_text(std::size_t i, std::string_view text) {
        const auto item = made(items[i].depth, {items[i].notation, text}, items[i].stamp);
        items[i] = item;
    }
    void erase(std::size_t begin, std::size_t end) {
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(begin),
                    items.begin() + static_cast<std::ptrdiff_t>(end));
    }

   private:
    static constexpr std::size_t deepest = 24;

    Item made(std::size_t depth, Cell cell, Stamp stamp) {
        const Item item{static_cast<std::uint32_t>(text_.size()),
                        static_cast<std::uint32_t>(cell.text.size()), stamp,
                        static_cast<std::uint16_t>(depth), cell.notation};
        text_ += cell.text;
        return item;
    }
    void append(std::size_t depth, Cell cell, Stamp stamp) {
        open_.at(depth) = items.size();
        items.push_back(made(depth, cell, stamp));
    }

    std::string text_;
    std::array<std::size_t, deepest> open_{};  // of the line written last
    std::size_t open_depth_ = 0;
};

// Text between quotes, with AceDB's escapes.
inline void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n\\\n";
            continue;
        }
        if (c == '\\' || c == '"' || c == '/' || c == '%' || c == ';' || c == '\t') out += '\\';
        out += c;
    }
    out += '"';
}

// Writes drafts as AceDB's `dump -T` does. Keeps its memory.
class Dumper {
   public:
    // `stamps` as they follow a cell: ` -O "..."`; must outlive the dumper.
    explicit Dumper(const std::vector<std::string>& stamps) : stamps_(stamps) {}

    void append(std::string& out, const Draft& draft) {
        out += draft.class_name;
        out += " : ";
        append_quoted(out, draft.name);
        out += stamps_[draft.created];
        out += '\n';
        for (std::size_t i = 0; i < draft.items.size(); ++i) append_item(out, draft, i);
        out += '\n';
    }

   private:
    void append_item(std::string& out, const Draft& draft, std::size_t i) {
        const auto& item = draft.items[i];
        const auto text = draft.text(item);
        switch (item.notation) {
            case Notation::lines: out.append(text).append("\n***LongTextEnd***\n"); return;
            case Notation::letters: return append_letters(out, text);
            case Notation::member: return append_member(out, text);
            case Notation::bare:
            case Notation::quoted:
            case Notation::comment: break;
        }
        append_cell(item, text);
        const auto next = i + 1;
        if (next < draft.items.size() && draft.items[next].depth > item.depth) return;
        out += line_;
        out += '\n';
    }
    void append_cell(const Item& item, std::string_view text) {
        line_.resize(item.depth == 0 ? 0 : ends_[item.depth - 1U]);
        if (item.depth > 0) line_ += ' ';
        if (item.notation == Notation::comment) line_ += "-C ";
        if (item.notation == Notation::bare)
            line_ += text;
        else
            append_quoted(line_, text);
        if (item.depth == 0) line_ += '\t';
        line_ += stamps_[item.stamp];
        ends_.at(item.depth) = line_.size();
    }
    // DNA, which is in small letters, stands behind a margin.
    static void append_letters(std::string& out, std::string_view text) {
        const auto margin = !text.empty() && text[0] >= 'a' ? std::string_view("         ") : "";
        for (std::size_t at = 0; at < text.size(); at += 50)
            out.append(margin).append(text.substr(at, 50)).append("\n");
    }
    static void append_member(std::string& out, std::string_view text) {
        const auto end = text.find('\n');
        out.append(text.substr(0, end)).append(" : ");
        append_quoted(out, text.substr(end + 1));
        out += '\n';
    }

    const std::vector<std::string>& stamps_;
    std::string line_;
    std::array<std::size_t, 32> ends_{};
};

inline void append_json(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
            continue;
        }
        if (c == '\\' || c == '"') out += '\\';
        out += c;
    }
    out += '"';
}

// Every node as a JSON array of the cells from the first tag down to it, sorted.
inline std::vector<std::string> nodes_of(const Draft& draft) {
    std::vector<std::string> nodes, path;
    for (const auto& item : draft.items) {
        path.resize(item.depth);
        std::string cell = path.empty() ? "" : path.back() + ", ";
        auto text = std::string(draft.text(item));
        if (item.notation == Notation::comment) text = "-C " + text;
        if (item.notation == Notation::member) text = text.substr(text.find('\n') + 1);
        append_json(cell, text);
        nodes.push_back('[' + cell + ']');
        path.push_back(std::move(cell));
    }
    std::sort(nodes.begin(), nodes.end());
    return nodes;
}

}  // namespace bench
