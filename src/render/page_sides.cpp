// SPDX-License-Identifier: MIT
#include "render/page_sides.hpp"

#include "render/shown_text.hpp"
#include "render/text.hpp"
#include "render/text_diff.hpp"

namespace render {
namespace {

constexpr std::size_t most_places = 40;
constexpr std::size_t most_of_side = 4'000;  // bytes of HTML
constexpr std::size_t context = 8;           // words kept beside what differs
constexpr std::string_view ellipsis = "\xE2\x80\xA6";

std::string_view spanned(const Pieces& words, std::size_t from, std::size_t end) {
    if (from == end) return {};
    const auto* last = words[end - 1].data() + words[end - 1].size();
    return {words[from].data(), static_cast<std::size_t>(last - words[from].data())};
}

// One side: the words of its text, those in replaced runs marked.
class Side {
   public:
    Side(const Pieces& words, std::string_view element) : words_(words), element_(element) {}

    void add_same(std::size_t from, std::size_t end) {
        const bool first = from == 0, last = end == words_.size();
        const std::size_t head = first ? 0 : context, tail = last ? 0 : context;
        if (end - from <= head + tail + 2) return add_words(from, end);
        add_words(from, from + head);
        add(std::string(ellipsis));
        add_words(end - tail, end);
    }

    void add_changed(std::size_t from, std::size_t end) {
        if (from == end) return;
        std::string html;
        html.append("<").append(element_) += '>';
        append_shortened(html, spanned(words_, from, end));
        html.append("</").append(element_) += '>';
        add(html);
    }

    std::string take() && { return std::move(html_); }

   private:
    void add_words(std::size_t from, std::size_t end) {
        if (from == end) return;
        std::string html;
        for (auto i = from; i < end; ++i) {
            if (i > from) html += ' ';
            append_shortened(html, words_[i]);
        }
        add(html);
    }

    // Whole pieces only, so that no tag is cut.
    void add(const std::string& html) {
        if (full_) return;
        if (!html_.empty()) html_ += ' ';
        full_ = html_.size() + html.size() > most_of_side;
        html_ += full_ ? ellipsis : std::string_view(html);
    }

    const Pieces& words_;
    std::string_view element_;
    std::string html_;
    bool full_ = false;
};

bool is_one_word(const Pieces& words) { return words.size() == 1; }

// Two long words, as sequences are: what lies between their common ends.
Sides sequences(std::string_view before, std::string_view after) {
    constexpr std::size_t shown = 20;
    auto [head, tail] = common_ends(before, after);
    head = cut_at(before, head).size();
    tail = end_of(before, tail).size();
    const auto side = [&, head = head, tail = tail](std::string_view text,
                                                    std::string_view element) {
        std::string html = head > shown ? std::string(ellipsis) : std::string();
        append_html(html, end_of(text.substr(0, head), shown));
        const auto middle = text.substr(head, text.size() - head - tail);
        if (!middle.empty()) {
            html.append("<").append(element) += '>';
            append_shortened(html, middle);
            html.append("</").append(element) += '>';
        }
        append_html(html, cut_at(text.substr(text.size() - tail), shown));
        return html += tail > shown ? ellipsis : "";
    };
    return {"from character " + with_separators(head + 1) + " on", side(before, "del"),
            side(after, "ins")};
}

Sides compared(std::string_view before, std::string_view after) {
    const auto old_words = words_of(before), new_words = words_of(after);
    const bool long_words =
        is_one_word(old_words) && is_one_word(new_words) && (is_long(before) || is_long(after));
    if (long_words) return sequences(old_words.front(), new_words.front());
    Side left(old_words, "del"), right(new_words, "ins");
    for (const auto& run : align(old_words, new_words)) {
        if (run.same) {
            left.add_same(run.before, run.before_end);
            right.add_same(run.after, run.after_end);
        } else {
            left.add_changed(run.before, run.before_end);
            right.add_changed(run.after, run.after_end);
        }
    }
    return {{}, std::move(left).take(), std::move(right).take()};
}

}  // namespace

SideBySide side_by_side(std::string_view before, std::string_view after) {
    SideBySide result;
    const auto old_lines = lines_of(before), new_lines = lines_of(after);
    if (old_lines.size() == 1 && new_lines.size() == 1) {
        result.places.push_back(compared(before, after));
        return result;
    }
    for (const auto& run : align(old_lines, new_lines)) {
        if (run.same) continue;
        if (result.places.size() == most_places) {
            result.cut = true;
            break;
        }
        auto sides = compared(spanned(old_lines, run.before, run.before_end),
                              spanned(new_lines, run.after, run.after_end));
        const auto line = (run.after < run.after_end ? run.after : run.before) + 1;
        sides.place =
            "line " + with_separators(line) + (sides.place.empty() ? "" : ", ") + sides.place;
        result.places.push_back(std::move(sides));
    }
    return result;
}

}  // namespace render
