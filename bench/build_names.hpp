// bench/build_names.hpp -- what the objects of a made build are called: a name is made of class
// and number alone, and no two numbers share one.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "build_shapes.hpp"

namespace bench {

// What a build is made of; every object follows from this, its class and its number.
struct World {
    std::uint64_t seed = 1;
    std::array<std::uint64_t, shapes.size()> counts{};  // numbers are 1 ... count
};

inline const Shape& shape_of(Class c) { return shapes[static_cast<std::size_t>(c)]; }

inline std::uint64_t count_of(const World& world, Class c) {
    return world.counts[static_cast<std::size_t>(c)];
}

// A number that depends on the object and on what it is for.
inline std::uint64_t lot(const World& world, Class c, std::uint64_t number, std::uint64_t use) {
    const auto object = number * shapes.size() + static_cast<std::uint64_t>(c);
    return mixed(mixed(world.seed, use), object);
}

inline bool is_stub(const World& world, Class c, std::uint64_t number) {
    return Chance(lot(world, c, number, 1)).below(1000) < shape_of(c).stubs;
}

inline std::string padded(std::string_view prefix, std::uint64_t number, std::size_t width) {
    const auto digits = std::to_string(number);
    std::string name(prefix);
    if (digits.size() < width) name.append(width - digits.size(), '0');
    return name += digits;
}

inline std::string letters_of(std::uint64_t number, std::size_t least) {
    std::string letters;
    for (; number > 0 || letters.size() < least; number /= 26)
        letters += static_cast<char>('a' + number % 26);
    return letters;
}

inline std::string upper(std::string text) {
    for (auto& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return text;
}

// As cosmids are called: F53F1.
inline std::string clone_name(std::uint64_t n) {
    const auto letter = [](std::uint64_t i) { return static_cast<char>('A' + i % 26); };
    return letter(n) + std::to_string(n / 26 % 90 + 10) + letter(n / 2340) +
           std::to_string(n / 60840);
}

// Of syllables, all of one length, so that each number has its own.
inline std::string surname(std::uint64_t n) {
    static constexpr std::array<std::string_view, 16> some{
        "har", "ris", "bre", "nner", "sul", "ston", "wat",  "chen",
        "lee", "mar", "tin", "gar",  "cia", "hod",  "gkin", "row"};
    std::string name;
    do name += some[n % 16];
    while ((n /= 16) > 0);
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    return name;
}

inline std::string phenotype_phrase(std::uint64_t n) {
    static constexpr std::array<std::string_view, 8> some{
        "slow growth",        "pharyngeal pumping 50% reduced",
        "embryonic lethal",   "sluggish",
        "\"kinker\"; severe", "long",
        "protruding vulva",   "body/head ratio increased"};
    return std::string(some[n % 8]) + " variant " + std::to_string(n);
}

inline std::string variation_name(const World& world, std::uint64_t n) {
    static constexpr std::array<std::string_view, 10> laboratories{"ok", "tm", "gk", "e",  "n",
                                                                   "ad", "ar", "b",  "ct", "sy"};
    if (is_stub(world, Class::variation, n)) return padded("WBVar", n, 8);
    return std::string(laboratories[n % 10]) + std::to_string(n);
}

inline std::string gene_name(std::uint64_t n) {
    const auto gene = n / 2;
    if (n % 2 == 0) return clone_name(gene / 12) + '.' + std::to_string(gene % 12 + 1);
    return letters_of(gene / 60, 3) + '-' + std::to_string(gene % 60 + 1);
}
// The two that a gene has.
inline std::uint64_t cgc_name_of(std::uint64_t gene) { return gene * 2 - 1; }
inline std::uint64_t sequence_name_of(std::uint64_t gene) { return gene * 2; }

inline std::string name_of(const World& world, Class c, std::uint64_t n) {
    switch (c) {
        case Class::key_set: return padded("curated_list_", n, 1);
        case Class::long_text:
        case Class::paper: return padded("WBPaper", n, 8);
        case Class::peptide: return padded("WP:CE", n, 5);
        case Class::protein: return padded(is_stub(world, c, n) ? "SW:P" : "WP:CE", n, 5);
        case Class::sequence:
        case Class::dna: return clone_name(n);
        case Class::method: return padded("method_", n, 1);
        case Class::gene: return padded("WBGene", n, 8);
        case Class::person: return padded("WBPerson", n, 1);
        case Class::variation: return variation_name(world, n);
        case Class::gene_class: return letters_of(n, 3);
        case Class::laboratory: return upper(letters_of(n, 2));
        case Class::gene_name: return gene_name(n);
        case Class::author: return surname(n / 26) + ' ' + upper(letters_of(n % 26, 1));
        case Class::strain: return padded("CB", n, 1);
        case Class::go_term: return padded("GO:", n, 7);
        case Class::cds: return gene_name(n * 2);
        case Class::rnai: return padded("WBRNAi", n, 8);
        case Class::expr_pattern: return padded("Expr", n, 1);
        case Class::phenotype: return padded("WBPhenotype:", n, 7);
        case Class::phenotype_name: return phenotype_phrase(n);
        case Class::person_name: return surname(n);
    }
    throw std::logic_error("no such class");
}

}  // namespace bench
