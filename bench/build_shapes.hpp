// bench/build_shapes.hpp -- the shapes of real dumps as numbers: which classes there are and
// how many of each, rows an object, lengths of texts, years and users of stamps.
// Counted in the three sample builds (examples/builds, 4,500 objects, 3,900 of them stubs of one
// protein's homologies) and in 2,113 Variation objects of WormBase's curation archive of 2006.
// Where these hold a handful of a class, the upper quantiles reach on to what there is of it in
// a large database. Cells and bytes of a row follow from the lines in build_objects.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "build_draft.hpp"

namespace bench {

// In the order in which AceDB dumps them.
enum class Class : std::uint8_t {
    key_set,
    long_text,
    peptide,
    sequence,
    protein,
    dna,
    paper,
    method,
    gene,
    person,
    variation,
    gene_class,
    laboratory,
    gene_name,
    author,
    strain,
    go_term,
    cds,
    rnai,
    expr_pattern,
    phenotype,
    phenotype_name,
    person_name
};

// A value at 0, 10, 25, 50, 75, 90, 95, 99 and 100 % of those counted.
using Quantiles = std::array<std::uint16_t, 9>;

struct Shape {
    std::string_view name;
    std::uint16_t per_mille;  // of the build's objects; set by hand, since the samples hold one
                              // gene, one protein, one paper and else mostly what these name
    std::uint16_t stubs;      // per mille of the class that only cross references made; counted,
                              // but fewer proteins (998) and papers (917), for the same reason
    Quantiles rows;           // of the others, in lines; array classes: of letters or lines
    std::uint16_t most_rows;  // 0, or where a tail beyond the 95 % ends: a third of the rest
                              // is three times as long, a third of these again, ...
};

inline constexpr std::array<Shape, 23> shapes{{
    {"KeySet", 1, 0, {3, 3, 3, 3, 5, 20, 50, 200, 400}, 0},
    {"LongText", 15, 0, {1, 2, 3, 6, 6, 7, 8, 12, 20}, 0},
    {"Peptide", 12, 0, {40, 60, 110, 340, 520, 810, 1100, 2200, 4000}, 0},
    {"Sequence", 8, 0, {9, 9, 9, 9, 9, 9, 12, 20, 30}, 300},
    {"Protein", 245, 950, {1, 7, 7, 7, 7, 40, 120, 400, 1302}, 1304},
    {"DNA", 2, 0, {600, 600, 600, 600, 720, 900, 2000, 8000, 20000}, 0},
    {"Paper", 120, 700, {9, 9, 10, 10, 12, 13, 17, 17, 17}, 100},
    {"Method", 1, 1000, {0, 0, 0, 0, 0, 0, 0, 0, 0}, 0},
    {"Gene", 55, 0, {16, 17, 17, 17, 22, 24, 40, 101, 101}, 303},
    {"Person", 6, 0, {8, 8, 8, 8, 8, 8, 9, 9, 9}, 0},
    {"Variation", 260, 54, {0, 1, 1, 1, 1, 1, 2, 4, 5}, 16},
    {"Gene_class", 2, 1000, {1, 1, 1, 1, 1, 2, 4, 20, 60}, 0},
    {"Laboratory", 1, 0, {1, 1, 1, 1, 1, 1, 1, 1, 1}, 0},
    {"Gene_name", 110, 917, {1, 1, 1, 1, 2, 2, 2, 2, 2}, 0},
    {"Author", 40, 920, {1, 1, 1, 1, 1, 1, 2, 5, 30}, 0},
    {"Strain", 8, 0, {10, 10, 10, 10, 10, 12, 15, 15, 15}, 0},
    {"GO_term", 8, 0, {4, 4, 4, 4, 5, 6, 7, 7, 7}, 700},
    {"CDS", 24, 700, {6, 6, 6, 6, 6, 8, 12, 20, 30}, 0},
    {"RNAi", 60, 1000, {1, 1, 1, 1, 1, 1, 1, 1, 1}, 0},
    {"Expr_pattern", 4, 0, {5, 5, 5, 5, 5, 5, 5, 5, 6}, 0},
    {"Phenotype", 4, 0, {3, 3, 3, 3, 5, 5, 5, 5, 5}, 0},
    {"Phenotype_name", 8, 923, {1, 1, 1, 1, 1, 1, 1, 1, 1}, 0},
    {"Person_name", 6, 1000, {1, 1, 1, 2, 2, 2, 2, 2, 2}, 0},
}};
inline constexpr std::array<std::string_view, 2> empty_classes{"TableResult", "MatchTable"};

// Classes whose objects are one text or a list, without tags.
inline bool is_array(std::string_view name) {
    return name == "KeySet" || name == "LongText" || name == "Peptide" || name == "DNA";
}

// A gene of 1.2 MB, as the richest of real ones: the 5,000th gene, and one in 6,000 after it
// (builds of 100,000 objects have 5,500 genes).
inline constexpr std::uint64_t rows_of_giant = 5950;
inline bool is_giant(std::uint64_t gene) { return gene % 6000 == 5000; }

// Letters of a Phenotype_remark: three quarters are the one remark of a high-throughput group.
inline constexpr Quantiles letters_of_remark{18, 47, 63, 82, 120, 159, 196, 371, 734};
inline constexpr std::uint64_t bulk_remarks = 750;  // per mille

// Of an object's own cells: how many sessions wrote them.
inline constexpr Quantiles sessions_of_object{1, 1, 1, 1, 1, 1, 2, 3, 4};

// Per mille of the stamps of 1999 to 2006, the bulk load of March 2006 left out.
inline constexpr std::array<std::uint16_t, 8> stamps_of_year{11, 21, 1, 8, 173, 335, 301, 150};

struct User {
    std::string_view name;
    std::uint16_t per_mille;
};
inline constexpr std::array<User, 10> users{{{"wormpub", 250},
                                             {"mt3", 220},
                                             {"ck1", 150},
                                             {"NBP_allele__update", 110},
                                             {"lstein", 80},
                                             {"caltech_juancarlos", 70},
                                             {"krb", 60},
                                             {"sylvia", 30},
                                             {"rem", 20},
                                             {"td3", 10}}};

// Between two quantiles every value is as likely as the others.
inline std::uint64_t drawn(Chance& chance, const Quantiles& quantiles) {
    static constexpr std::array<std::uint64_t, 9> at{0, 100, 250, 500, 750, 900, 950, 990, 1000};
    const auto per_mille = chance.below(1000);
    std::size_t i = 1;
    while (at[i] <= per_mille) ++i;
    const auto low = quantiles[i - 1], high = quantiles[i];
    if (high <= low) return low;
    return low + (high - low) * (per_mille - at[i - 1]) / (at[i] - at[i - 1]);
}

inline std::uint64_t drawn_rows(Chance& chance, const Shape& shape) {
    if (shape.most_rows == 0 || chance.below(1000) < 950) return drawn(chance, shape.rows);
    std::uint64_t rows = shape.rows[6];
    while (rows < shape.most_rows && chance.one_in(3)) rows *= 3;
    return rows < shape.most_rows ? rows : shape.most_rows;
}

// The stamps of a release and its next: texts as they follow a cell, by kind.
class Stamps {
   public:
    static constexpr Stamp loading = 1, next_loading = 2;

    // `released` and `next`: days. Loaded a week before.
    Stamps(std::uint64_t seed, std::chrono::sys_days released, std::chrono::sys_days next)
        : chance_(mixed(seed, 0x57a3)) {
        using std::chrono::days;
        texts_ = {"", made(released - days(7), "10:00:00.1_wormpub"),
                  made(next - days(7), "10:00:00.1_wormpub")};
        const auto between =
            static_cast<std::uint64_t>(std::max<long>((next - released).count(), 8));
        for (std::size_t i = 0; i < new_ones; ++i)
            add(next - days(7 + chance_.below(between - 7)));
        for (std::size_t i = 0; i < fresh_ones; ++i) add(released - days(8 + chance_.below(110)));
        for (std::size_t i = 0; i < old_ones; ++i) add(old_day());
    }
    [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

    // Of 1999 to 2006; of the months before the release; of the time up to the next.
    static Stamp old(Chance& chance) {
        return static_cast<Stamp>(3 + new_ones + fresh_ones + chance.below(old_ones));
    }
    static Stamp fresh(Chance& chance) {
        return static_cast<Stamp>(3 + new_ones + chance.below(fresh_ones));
    }
    static Stamp fresh_for_next(Chance& chance) {
        return static_cast<Stamp>(3 + chance.below(new_ones));
    }

   private:
    static constexpr std::size_t new_ones = 60, fresh_ones = 250, old_ones = 3000;

    static std::string made(std::chrono::sys_days at, std::string_view rest) {
        const std::chrono::year_month_day day{at};
        char text[24];
        std::snprintf(text, sizeof text, " -O \"%04d-%02u-%02u_", static_cast<int>(day.year()),
                      static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
        return std::string(text).append(rest) + '"';
    }
    void add(std::chrono::sys_days day) {
        char time[16];
        std::snprintf(
            time, sizeof time, "%02u:%02u:%02u", static_cast<unsigned>(8 + chance_.below(11)),
            static_cast<unsigned>(chance_.below(60)), static_cast<unsigned>(chance_.below(60)));
        const std::string number = chance_.one_in(200) ? ".1" : "";
        texts_.push_back(made(day, time + number + '_' + std::string(user())));
    }
    std::chrono::sys_days old_day() {
        auto at = chance_.below(1000);
        std::size_t year = 0;
        while (at >= stamps_of_year[year]) at -= stamps_of_year[year++];
        return std::chrono::sys_days{std::chrono::year{1999 + static_cast<int>(year)} /
                                     std::chrono::January / 1} +
               std::chrono::days(chance_.below(365));
    }
    std::string_view user() {
        auto at = chance_.below(1000);
        std::size_t i = 0;
        while (at >= users[i].per_mille) at -= users[i++].per_mille;
        return users[i].name;
    }

    Chance chance_;
    std::vector<std::string> texts_;
};

}  // namespace bench
