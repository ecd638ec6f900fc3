// SPDX-License-Identifier: MIT
#include "source/dump/ace_reader.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "source/ace_text.hpp"
#include "source/xxh3.hpp"

namespace source::dump {
namespace {

constexpr std::size_t block = 1 << 20;
constexpr std::size_t head_size = 1 << 16;

// Enough bytes to distinguish a LongText from other objects, and a comment from other lines.
constexpr std::size_t shortest_look = 16;

// Counts lines with find(), which is memchr, since std::count compares one byte at a time.
std::uint64_t lines_in(std::string_view bytes) {
    std::uint64_t lines = 0;
    for (auto at = bytes.find('\n'); at != std::string_view::npos; at = bytes.find('\n', at + 1))
        ++lines;
    return lines;
}

}  // namespace

AceReader::AceReader(const File& file, std::string_view name, std::size_t most)
    : name_(name), most_(std::max(most, head_size)), window_(file, name, block) {}

void AceReader::go_to(const AcePlace& place, std::uint64_t end, std::uint64_t last) {
    window_.go_to(place.offset);
    at_ = place;
    end_ = end;
    last_ = last;
}

AcePlace AceReader::place() const {
    auto place = at_;
    place.offset = window_.offset();
    return place;
}

base::Result<std::optional<AceObject>> AceReader::next() {
    const auto is_there = skip_to_object();
    if (!is_there) return tl::unexpected(is_there.error());
    if (*is_there) return read_object();
    if (window_.offset() >= end_) return std::nullopt;
    if (at_.has_banners && !at_.has_trailer)
        return cut_off("the file ends without \"// End of this dump file\"");
    if (!at_.has_banners && !at_.has_objects) return cut_off("the file holds no objects");
    return std::nullopt;
}

base::Result<bool> AceReader::skip_to_object() {
    for (;;) {
        skip_newlines();
        if (window_.offset() >= end_) return false;
        if (window().size() < shortest_look && !window_.is_end()) {
            if (auto ok = window_.fill(); !ok) return tl::unexpected(ok.error());
            continue;
        }
        if (window().empty()) return false;
        if (at_object()) return true;
        if (auto ok = skip_line(); !ok) return tl::unexpected(ok.error());
    }
}

void AceReader::skip_newlines() {
    const auto bytes = window().substr(0, end_ - std::min(end_, window_.offset()));
    const auto newlines = std::min(bytes.find_first_not_of('\n'), bytes.size());
    window_.drop(newlines);
    at_.line += newlines;
}

// Comments begin with `//`, and those of the dumper with a blank before it.
bool AceReader::at_object() const {
    const auto bytes = window();
    return bytes[0] != ' ' && bytes[0] != '\t' && !bytes.starts_with("//");
}

base::Result<void> AceReader::skip_line() {
    for (std::size_t searched = 0;;) {
        const auto end = window().find('\n', searched);
        if (end != std::string_view::npos || window_.is_end()) {
            const auto line = window().substr(0, end);
            if (const auto words = base::trim(line); !words.starts_with("//") && !words.empty())
                return broken("a line that belongs to no object" + std::string(load_and_dump));
            note_comment(base::trim(line));
            ++at_.line;
            window_.drop(std::min(line.size() + 1, window().size()));
            return {};
        }
        searched = window().size();
        if (searched > most_) return broken("a comment longer than any object may be");
        if (auto ok = window_.fill(); !ok) return ok;
    }
}

void AceReader::note_comment(std::string_view line) {
    if (line.starts_with("// Class ")) at_.has_banners = true, at_.has_trailer = false;
    if (line == "// End of this dump file") at_.has_trailer = true;
}

base::Result<std::optional<AceObject>> AceReader::read_object() {
    object_end_ = ObjectEnd(window());
    at_.has_objects = true;
    at_.has_trailer = false;
    for (;;) {
        if (const auto length = find_end()) return take(*length);
        if (window_.is_end()) return take_last_object();
        if (window().size() > most_) return skip_large_object();
        if (auto ok = window_.fill(); !ok) return tl::unexpected(ok.error());
    }
}

base::Result<std::optional<AceObject>> AceReader::take(std::size_t length) {
    AceObject object{window_.offset(), length, at_.line, window().substr(0, length), true, {}};
    at_.line += lines_in(object.bytes);
    object.digest = XXH3_128bits(object.bytes.data(), length);
    window_.drop(length);
    return object;
}

base::Result<std::optional<AceObject>> AceReader::skip_large_object() {
    head_.assign(window().substr(0, head_size));
    AceObject object{window_.offset(), 0, at_.line, head_, false, {}};
    Xxh3 digest;
    const auto drop = [&](std::size_t size) {
        digest.add(window().substr(0, size));
        at_.line += lines_in(window().substr(0, size));
        window_.drop(size);
        object.length += size;
    };
    for (;;) {
        drop(object_end_.searched());
        if (window_.offset() > last_)
            return cut_off("an object goes on beyond what is asked for");
        if (auto ok = window_.fill(); !ok) return tl::unexpected(ok.error());
        const auto end = find_end();
        if (!end && window_.is_end()) {
            const bool is_ended =
                !object_end_.is_long_text() && !at_.has_banners && window().ends_with('\n');
            if (!is_ended) return take_last_object();
        }
        if (!end && !window_.is_end()) continue;
        drop(end.value_or(window().size()));
        object.digest = digest.digest();
        return object;
    }
}

base::Result<std::optional<AceObject>> AceReader::take_last_object() {
    const auto bytes = window();
    if (object_end_.is_long_text()) return cut_off("the file ends inside a LongText");
    if (!bytes.ends_with('\n')) return cut_off("the file ends inside a line");
    if (at_.has_banners) return cut_off("the file ends inside an object");
    return take(bytes.size());
}

tl::unexpected<base::Error> AceReader::cut_off(const std::string& what) const {
    const auto at = behind(window_.is_end() ? window() : std::string_view(), {at_.line, 1});
    return fail_in(name_, at, base::ErrorKind::refused, what);
}

tl::unexpected<base::Error> AceReader::broken(const std::string& what) const {
    return fail_in(name_, {at_.line, 1}, base::ErrorKind::malformed, what);
}

// ---- Cutting ----

namespace {

// True where a class, ` : ` and a quoted name begin.
bool looks_like_header(std::string_view bytes) {
    const auto is_in_class = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '.';
    };
    const auto end = std::ranges::find_if_not(bytes, is_in_class) - bytes.begin();
    return end > 0 && bytes.substr(static_cast<std::size_t>(end)).starts_with(" : \"");
}

// Returns where the first object of the bytes seems to begin.
std::optional<std::size_t> likely_object(std::string_view bytes) {
    for (auto at = bytes.find("\n\n"); at != std::string_view::npos;
         at = bytes.find("\n\n", at + 1))
        if (looks_like_header(bytes.substr(at + 2))) return at + 2;
    return std::nullopt;
}

}  // namespace

std::vector<std::uint64_t> likely_cuts(const File& file, std::uint64_t size, std::uint64_t part) {
    constexpr std::size_t most_searched = 1 << 16;
    std::vector<std::uint64_t> cuts{0};
    std::string bytes;
    for (auto at = part; at < size;) {
        std::optional<std::size_t> found;
        // Most objects are short.
        for (std::size_t length = 4096; length <= most_searched && !found; length *= 4) {
            bytes.resize(length);
            const auto got = file.read_at(bytes.data(), length, at);
            if (!got) return cuts;  // whoever reads the file meets the error
            found = likely_object({bytes.data(), *got});
        }
        if (found) cuts.push_back(at + *found);
        at = found ? cuts.back() + part : at + std::max<std::uint64_t>(part, most_searched);
    }
    return cuts;
}

}  // namespace source::dump
