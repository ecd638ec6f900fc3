// SPDX-License-Identifier: MIT
#include "render/shown_text.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "render/text.hpp"
#include "render/text_diff.hpp"

namespace render {
namespace {

constexpr std::size_t longest_shown = 500;  // bytes of one text
constexpr std::size_t longest_word = 80;    // more without a blank is a sequence
constexpr std::size_t sequence_ends = 40;   // bytes of a sequence that are shown
constexpr std::size_t context = 6;          // words kept beside what differs
constexpr std::string_view ellipsis = "\xE2\x80\xA6";

std::string characters(std::string_view text) {
    const auto continuations = std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    });
    return " (" + std::to_string(text.size() - static_cast<std::size_t>(continuations)) +
           " characters)";
}

bool is_sequence(std::string_view text) {
    return text.size() > longest_word &&
           text.substr(0, longest_word).find_first_of(" \t\r\n") == std::string_view::npos;
}

void append_words(std::string& html, const Pieces& words, std::size_t from, std::size_t end) {
    for (auto i = from; i < end; ++i) {
        if (i > from) html += ' ';
        append_shortened(html, words[i]);
    }
}

// What stayed, without the words far from what differs.
void append_context(std::string& html, const Pieces& words, const Run& run) {
    const bool first = run.before == 0, last = run.before_end == words.size();
    const auto count = run.before_end - run.before;
    const std::size_t head = first ? 0 : context, tail = last ? 0 : context;
    if (count <= head + tail + 2) return append_words(html, words, run.before, run.before_end);
    append_words(html, words, run.before, run.before + head);
    html += first ? "" : " ";
    html += ellipsis;
    html += last ? "" : " ";
    append_words(html, words, run.before_end - tail, run.before_end);
}

std::string_view spanned(const Pieces& words, std::size_t from, std::size_t end) {
    const auto* last = words[end - 1].data() + words[end - 1].size();
    return {words[from].data(), static_cast<std::size_t>(last - words[from].data())};
}

void append_marked(std::string& html, std::string_view element, std::string_view text) {
    html += '<';
    html += element;
    html += '>';
    append_shortened(html, text);
    html += "</";
    html += element;
    html += '>';
}

// Two sequences: what lies between their common ends, and where.
void append_sequences(std::string& html, std::string_view before, std::string_view after) {
    auto [head, tail] = common_ends(before, after);
    // Never between the bytes of one character.
    head = cut_at(before, head).size();
    tail = end_of(before, tail).size();
    constexpr std::size_t shown = 12;
    html += "from " + std::to_string(head + 1) + " on: ";
    if (head > 0) {
        html += ellipsis;
        append_html(html, end_of(before.substr(0, head), shown));
    }
    const auto from = before.substr(head, before.size() - head - tail);
    const auto to = after.substr(head, after.size() - head - tail);
    if (!from.empty()) append_marked(html, "del", from);
    if (!to.empty()) append_marked(html, "ins", to);
    if (tail > 0) {
        append_html(html, cut_at(before.substr(before.size() - tail), shown));
        html += ellipsis;
    }
    html += characters(after);
}

void append_replaced(std::string& html, const Pieces& before, const Pieces& after,
                     const Run& run) {
    const bool removed = run.before < run.before_end, added = run.after < run.after_end;
    const auto from = removed ? spanned(before, run.before, run.before_end) : "";
    const auto to = added ? spanned(after, run.after, run.after_end) : "";
    if (is_sequence(from) && is_sequence(to)) return append_sequences(html, from, to);
    if (removed) append_marked(html, "del", from);
    if (removed && added) html += ' ';
    if (added) append_marked(html, "ins", to);
}

std::string words_changed(std::string_view before, std::string_view after) {
    const auto old_words = words_of(before), new_words = words_of(after);
    std::string html;
    for (const auto& run : align(old_words, new_words)) {
        if (!html.empty()) html += ' ';
        if (run.same)
            append_context(html, old_words, run);
        else
            append_replaced(html, old_words, new_words, run);
    }
    return html;
}

// The part of a text that lines [from, end) of it take; empty for none.
std::string_view joined(const Pieces& lines, std::size_t from, std::size_t end) {
    return from == end ? std::string_view() : spanned(lines, from, end);
}

}  // namespace

void append_shortened(std::string& html, std::string_view text) {
    if (text.empty()) {
        html += "&quot;&quot;";
        return;
    }
    if (is_sequence(text)) {
        append_html(html, cut_at(text, sequence_ends));
        html += ellipsis;
        append_html(html, end_of(text, sequence_ends / 4));
        html += characters(text);
        return;
    }
    append_html(html, cut_at(text, longest_shown));
    if (text.size() <= longest_shown) return;
    html += ellipsis;
    html += characters(text);
}

bool is_long(std::string_view text) {
    return text.size() > longest_whole_text || text.find('\n') != std::string_view::npos;
}

void add_difference(Html& html, std::string_view before, std::string_view after) {
    if (words_of(before) == words_of(after)) {
        html.add("only white space differs");
        return;
    }
    const auto old_lines = lines_of(before), new_lines = lines_of(after);
    const bool one_line = old_lines.size() == 1 && new_lines.size() == 1;
    if (!html.open("ul", "<ul>")) return;
    for (const auto& run : align(old_lines, new_lines)) {
        if (run.same) continue;
        const auto from = joined(old_lines, run.before, run.before_end);
        const auto to = joined(new_lines, run.after, run.after_end);
        if (words_of(from) == words_of(to)) continue;  // lines broken elsewhere
        const auto line = (run.after < run.after_end ? run.after : run.before) + 1;
        html.add("<li>" + (one_line ? "" : "line " + std::to_string(line) + ": ") +
                 words_changed(from, to) + "</li>");
    }
    html.close();
}

}  // namespace render
