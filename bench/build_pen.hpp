// bench/build_pen.hpp -- the pen that writes one object's lines: its random numbers, its stamps
// and the names that it refers to all follow from seed, class and number.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "build_draft.hpp"
#include "build_names.hpp"
#include "build_shapes.hpp"

namespace bench {

// About so many letters of prose.
inline std::string prose(Chance& chance, std::uint64_t letters) {
    static constexpr std::array<std::string_view, 32> some{
        "the",        "gene",     "encodes",   "a",         "protein", "that",     "is",
        "required",   "for",      "normal",    "movement",  "in",      "adult",    "neurons",
        "synaptic",   "vesicle",  "transport", "mutants",   "show",    "weak",     "embryonic",
        "lethality",  "at",       "25C;",      "and",       "by",      "homology", "C. elegans",
        "\"unc-26\"", "function", "wild type", "locomotion"};
    std::string text;
    text.reserve(letters + 12);
    for (std::uint64_t dice = 0; text.size() < letters; dice >>= 5U) {
        if (dice == 0) dice = chance.next();
        if (!text.empty()) text += ' ';
        text += some[dice % some.size()];
    }
    return text;
}

class Pen {
   public:
    explicit Pen(World world) : world_(world) {}

   protected:
    void begin(Draft& draft, Class c, std::uint64_t number) {
        draft_ = &draft;
        class_ = c;
        number_ = number;
        chance_ = Chance(lot(world_, c, number, 2));
        draft.clear();
        draft.class_name = shape_of(c).name;
        draft.name = name_of(world_, c, number);
        const bool fresh = chance_.below(100) < 3;
        sessions_ = drawn(chance_, sessions_of_object);
        for (auto& stamp : session_) stamp = Stamps::old(chance_);
        if (fresh) session_[0] = Stamps::fresh(chance_);
        loaded_ = is_array(draft.class_name) || is_stub(world_, c, number);
        draft.created = loaded_ ? Stamps::loading : Stamps::old(chance_);
        link_ = fresh && loaded_ ? session_[0] : Stamps::loading;
        left_ = drawn_rows(chance_, shape_of(c));
        if (c == Class::gene && is_giant(number)) left_ = rows_of_giant;
    }

    // A line by a curator; a line that another object's reference made.
    void row(std::initializer_list<Cell> cells) {
        draft_->row(session_[chance_.below(sessions_)], cells);
        if (left_ > 0) --left_;
    }
    void link(std::initializer_list<Cell> cells) {
        draft_->row(link_, cells);
        if (left_ > 0) --left_;
    }
    // Calls `write` with `n` different names of the class, or with as many as there are.
    template <typename Write>
    void each(Class c, std::uint64_t n, const Write& write) {
        const auto count = std::max<std::uint64_t>(count_of(world_, c), 1);
        n = std::min(n, count);
        if (n == 0) return;
        const auto step = 1 + chance_.below(count / n);
        for (auto at = chance_.below(count); n > 0; --n, at = (at + step) % count)
            write(name_of(world_, c, at + 1));
    }
    std::string one(Class c) {
        return name_of(world_, c, 1 + chance_.below(count_of(world_, c)));
    }
    std::string integer(std::uint64_t most) { return std::to_string(1 + chance_.below(most)); }
    // Operands of + are evaluated in any order, so these draw one number a statement.
    std::string real(std::uint64_t most) {
        auto number = std::to_string(chance_.below(most));
        return number += padded(".", chance_.below(1000000), 6);
    }
    std::string day() {
        auto date = std::to_string(1990 + chance_.below(17));
        date += padded("-0", 1 + chance_.below(9), 1);
        return date += padded("-1", chance_.below(10), 1);
    }
    std::string text(std::uint64_t most) {
        return prose(chance_, most / 2 + chance_.below(most));
    }

    World world_;
    Draft* draft_ = nullptr;
    Class class_ = Class::gene;
    std::uint64_t number_ = 0;
    Chance chance_{0};
    std::array<Stamp, 4> session_{};
    std::uint64_t sessions_ = 1;
    Stamp link_ = 0;  // of what other objects' references made
    bool loaded_ = false;
    std::uint64_t left_ = 0;  // rows still to be written
};

}  // namespace bench
