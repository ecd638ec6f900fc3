// SPDX-License-Identifier: MIT
#include "source/index/index_format.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "base/text.hpp"

namespace source::index_format {
namespace {

constexpr auto texts = std::to_array<std::pair<std::string_view, std::string Facts::*>>(
    {{"folder", &Facts::origin},
     {"digest", &Facts::digest},
     {"flaw", &Facts::flaw},
     {"unknown", &Facts::unknown_objects},
     {"models", &Facts::models}});
constexpr auto numbers = std::to_array<std::pair<std::string_view, std::uint64_t Facts::*>>(
    {{"untracked", &Facts::untracked}, {"largest", &Facts::largest}});

// One line of facts: a word and values, separated by TABs and percent-encoded.
class FactLine {
   public:
    explicit FactLine(std::string_view line) {
        for (const auto part : base::split(line, '\t')) {
            auto value = base::percent_decode(part, base::Plus::literal);
            if (value) values_.push_back(std::move(*value));
        }
    }

    [[nodiscard]] bool is(std::string_view word, std::size_t values) const {
        return values_.size() == values + 1 && values_[0] == word;
    }

    [[nodiscard]] bool read_into(Facts& facts) const {
        for (const auto& [word, text] : texts)
            if (is(word, 1)) return facts.*text = values_[1], true;
        for (const auto& [word, number] : numbers)
            if (is(word, 1)) return read_number(facts.*number);
        if (is("release", 2)) return read_release(facts.release);
        if (is("file", 5)) return read_file(facts);
        if (is("class", 2)) return read_class(facts);
        if (is("sampled", 0)) return facts.loading_stamps.emplace(), true;
        if (is("loading", 1)) return read_loading_stamp(facts);
        return is("unstamped", 0) && (facts.has_unstamped = true);
    }

   private:
    bool read_release(base::Release& release) const {
        const auto day = base::parse_date(values_[2]);
        if (!base::is_version(values_[1]) || !day) return false;
        release = {values_[1], *day};
        return true;
    }

    bool read_number(std::uint64_t& into) const {
        const auto value = base::parse_count(values_[1]);
        into = value.value_or(0);
        return value.has_value();
    }

    bool read_loading_stamp(Facts& facts) const {
        if (!facts.loading_stamps) return false;
        facts.loading_stamps->push_back(values_[1]);
        return true;
    }

    bool read_file(Facts& facts) const {
        const auto inode = base::parse_integer(values_[2]);
        const auto size = base::parse_count(values_[3]), plain = base::parse_count(values_[5]);
        const auto modified = base::parse_integer(values_[4]);
        if (!inode || !size || !modified || !plain) return false;
        facts.files.push_back(
            {values_[1], {static_cast<std::uint64_t>(*inode), *size, *modified}, *plain});
        return true;
    }

    bool read_class(Facts& facts) const {
        const auto objects = base::parse_count(values_[2]);
        if (!objects) return false;
        facts.classes.push_back({values_[1], *objects});
        return true;
    }

    std::vector<std::string> values_;
};

void append_line(std::string& text, std::initializer_list<std::string> values) {
    for (const auto& value : values) {
        if (&value != values.begin()) text += '\t';
        text += base::percent_encode(value);
    }
    text += '\n';
}

void append_file(std::string& text, const BuildFile& file) {
    append_line(
        text, {"file", file.name, std::to_string(static_cast<std::int64_t>(file.identity.inode)),
               std::to_string(file.identity.size), std::to_string(file.identity.modified_ns),
               std::to_string(file.plain_size)});
}

}  // namespace

std::uint64_t digest_of(const FileHeader& header) {
    return XXH3_64bits(&header, offsetof(FileHeader, header_digest));
}

std::optional<FileHeader> parse_header(std::string_view bytes, std::uint64_t file_size) {
    FileHeader header;
    const FileHeader expected;
    if (bytes.size() < sizeof header || file_size < sizeof header) return std::nullopt;
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.magic != expected.magic || header.byte_order != expected.byte_order ||
        header.version != format || header.header_digest != digest_of(header))
        return std::nullopt;
    auto left = file_size - sizeof header;
    if (header.records > left / sizeof(Record)) return std::nullopt;
    left -= header.records * sizeof(Record);
    if (header.names_size > left) return std::nullopt;
    return header.facts_size == left - header.names_size ? std::optional(header) : std::nullopt;
}

std::string to_text(const Facts& facts) {
    std::string text;
    append_line(text,
                {"release", facts.release.version, base::format_date(facts.release.released_on)});
    for (const auto& [word, value] : texts)
        if (!(facts.*value).empty()) append_line(text, {std::string(word), facts.*value});
    for (const auto& [word, number] : numbers)
        append_line(text, {std::string(word), std::to_string(facts.*number)});
    for (const auto& file : facts.files) append_file(text, file);
    for (const auto& one : facts.classes)
        append_line(text, {"class", one.class_name, std::to_string(one.objects)});
    if (facts.has_unstamped) append_line(text, {"unstamped"});
    if (!facts.loading_stamps) return text;
    append_line(text, {"sampled"});
    for (const auto& stamp : *facts.loading_stamps) append_line(text, {"loading", stamp});
    return text;
}

std::optional<Facts> parse_facts(std::string_view text) {
    Facts facts;
    if (!text.ends_with('\n')) return std::nullopt;
    text.remove_suffix(1);
    for (const auto line : base::split(text, '\n'))
        if (!FactLine(line).read_into(facts)) return std::nullopt;
    return facts;
}

}  // namespace source::index_format
