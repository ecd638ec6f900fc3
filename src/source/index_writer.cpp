// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cerrno>
#include <memory>
#include <tuple>
#include <unistd.h>

#include "base/digest.hpp"
#include "source/index.hpp"
#include "source/index_format.hpp"

namespace source {
namespace {

constexpr std::size_t write_size = 1 << 20;
constexpr std::size_t most_classes = 65535;

using index_format::Header;
using index_format::record_at;

struct FreeState {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

}  // namespace

IndexWriter::IndexWriter(NewFile file) : file_(std::move(file)) {
    pending_.reserve(write_size + 1024);
    pending_.assign(sizeof(Header), '\0');  // its place; written last
}

base::Result<IndexWriter> IndexWriter::create(const std::string& path) {
    auto file = NewFile::create(path);
    if (!file) return tl::unexpected(file.error());
    return IndexWriter(std::move(*file));
}

base::Result<bool> IndexWriter::flush() {
    auto done = file_.write(pending_);
    pending_.clear();
    return done;
}

base::Result<bool> IndexWriter::append(std::string_view bytes) {
    pending_ += bytes;
    return pending_.size() < write_size ? base::Result<bool>(true) : flush();
}

base::Result<bool> IndexWriter::add(Entry entry, const std::string& class_name) {
    if (classes_.empty() || classes_[last_class_].class_name != class_name) {
        const auto [known, is_new] = class_indexes_.try_emplace(class_name, classes_.size());
        last_class_ = known->second;
        if (last_class_ == most_classes)
            return base::fail(base::Kind::refused, "more than 65,535 classes");
        if (is_new) classes_.push_back({class_name, 0});
    }
    ++classes_[last_class_].objects;
    entry.class_index = static_cast<std::uint16_t>(last_class_);
    lookups_.push_back({index_format::key_of(class_name, entry.name, folded_), records_size_});
    const auto before = pending_.size();
    index_format::append_record(pending_, entry);
    records_size_ += pending_.size() - before;
    return append({});
}

std::optional<IndexWriter::Twins> IndexWriter::sort_lookups(std::string_view records) {
    std::sort(lookups_.begin(), lookups_.end(), [](const Lookup& a, const Lookup& b) {
        return std::tie(a.hash, a.record) < std::tie(b.hash, b.record);
    });
    const auto name = [&](const Lookup& lookup) {
        const auto read = record_at(records, lookup.record).value();
        return std::pair(std::string_view(classes_[read.entry.class_index].class_name),
                         read.entry.name);
    };
    for (std::size_t i = 0; i + 1 < lookups_.size(); ++i) {
        std::size_t end = i + 1;
        while (end < lookups_.size() && lookups_[end].hash == lookups_[i].hash) ++end;
        if (end == i + 1) continue;
        const auto first = lookups_.begin() + static_cast<std::ptrdiff_t>(i),
                   last = lookups_.begin() + static_cast<std::ptrdiff_t>(end);
        // By name, so that the digest of the build does not know where an object lies.
        std::stable_sort(first, last,
                         [&](const auto& a, const auto& b) { return name(a) < name(b); });
        const auto twin = std::adjacent_find(
            first, last, [&](const auto& a, const auto& b) { return name(a) == name(b); });
        if (twin != last) {
            Twins twins{std::string(name(*twin).second), record_at(records, twin->record)->entry,
                        record_at(records, std::next(twin)->record)->entry};
            twins.first.name = twins.second.name = {};
            return twins;
        }
        i = end - 1;
    }
    return std::nullopt;
}

std::string IndexWriter::build_digest(std::string_view records) const {
    const std::unique_ptr<XXH3_state_t, FreeState> state(XXH3_createState());
    if (state == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(state.get());
    for (const auto& lookup : lookups_) {
        const auto digest = record_at(records, lookup.record)->entry.digest;
        XXH3_128bits_update(state.get(), &digest, sizeof digest);
    }
    XXH128_canonical_t bytes;
    XXH128_canonicalFromHash(&bytes, XXH3_128bits_digest(state.get()));
    return base::to_hex({reinterpret_cast<const char*>(bytes.digest), sizeof bytes.digest});
}

base::Result<std::optional<IndexWriter::Twins>> IndexWriter::complete(Facts& facts) {
    const auto mapping = Mapping::of(file_.file(), sizeof(Header) + records_size_);
    if (!mapping) return tl::unexpected(mapping.error());
    const auto records = mapping->bytes().substr(sizeof(Header));
    if (auto twins = sort_lookups(records)) return twins;
    facts.digest += build_digest(records);
    facts.classes = std::move(classes_);
    return std::nullopt;
}

base::Result<bool> IndexWriter::write_header(std::string_view facts) {
    const auto body_size = records_size_ + lookups_.size() * sizeof(Lookup);
    const auto mapping = Mapping::of(file_.file(), sizeof(Header) + body_size);
    if (!mapping) return tl::unexpected(mapping.error());
    Header header;
    header.records_size = records_size_;
    header.lookups = lookups_.size();
    header.facts_size = facts.size();
    header.body_digest = XXH3_64bits(mapping->bytes().data() + sizeof(Header), body_size);
    header.facts_digest = XXH3_64bits(facts.data(), facts.size());
    header.header_digest = index_format::digest_of(header);
    if (::pwrite(file_.file().descriptor(), &header, sizeof header, 0) != sizeof header)
        return fail_errno("writing an index", errno);
    return true;
}

base::Result<std::optional<IndexWriter::Twins>> IndexWriter::finish(Facts facts) {
    if (auto done = flush(); !done) return tl::unexpected(done.error());
    if (auto twins = complete(facts); !twins || *twins) return twins;
    const auto text = index_format::to_text(facts);
    const std::string_view lookups(reinterpret_cast<const char*>(lookups_.data()),
                                   lookups_.size() * sizeof(Lookup));
    for (const auto part : {lookups, std::string_view(text)})
        if (auto done = file_.write(part); !done) return tl::unexpected(done.error());
    if (auto done = write_header(text); !done) return tl::unexpected(done.error());
    if (auto done = file_.put_in_place(); !done) return tl::unexpected(done.error());
    return std::nullopt;
}

}  // namespace source
