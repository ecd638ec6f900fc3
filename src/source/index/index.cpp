// SPDX-License-Identifier: MIT
#include "source/index/index.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <tuple>
#include <unistd.h>

#include "base/digest.hpp"
#include "base/in_order.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace source {
namespace {

using index_format::FileHeader;
using index_format::record_at;

constexpr std::size_t write_size = 1 << 20;
constexpr std::size_t most_classes = 65535;
constexpr std::size_t buckets = 256;  // as many as a byte has values

tl::unexpected<base::Error> too_many_classes() {
    return base::fail(base::ErrorKind::refused, "more than 65,535 classes");
}

LookupEntry lookup_at(const char* lookups, std::size_t i) {
    LookupEntry lookup;
    std::memcpy(&lookup, lookups + i * sizeof lookup, sizeof lookup);
    return lookup;
}

tl::unexpected<base::Error> damaged(const std::string& path) {
    return base::fail(base::ErrorKind::malformed,
                      path + " is damaged, or not an index of this program");
}

// Returns a part of the file; `at` counts from the end of the header.
std::string_view part(std::string_view file, std::uint64_t at, std::uint64_t size) {
    return file.substr(sizeof(FileHeader) + at, size);
}

// Copies the whole file within the kernel, where files can share blocks without copying any.
// Returns false when this fails half-way or is not possible.
bool copy(const File& from, const File& to, std::uint64_t size) {
    loff_t at = 0;
    while (static_cast<std::uint64_t>(at) < size) {
        const auto got =
            ::copy_file_range(from.descriptor(), &at, to.descriptor(), nullptr,
                              static_cast<std::size_t>(size - static_cast<std::uint64_t>(at)), 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
    }
    return true;
}

// Returns the XXH3 of a part of the mapping; holds at most a window of it at once.
std::uint64_t digest_of(const Mapping& mapping, std::string_view part) {
    constexpr std::size_t window = 32 << 20;
    Xxh3 digest(Xxh3::Width::bits64);
    while (!part.empty()) {
        const auto piece = part.substr(0, window);
        digest.add(piece);
        mapping.forget(piece);
        part.remove_prefix(piece.size());
    }
    return digest.digest64();
}

// Where a thread found its last object. A job that walks through one build looks the objects up
// in another one in the same order, so the next record is usually the right one, and neither a
// hash nor a search is needed.
struct LastFound {
    std::uint64_t index = 0;  // its number
    std::uint64_t at = 0, next = 0;
};

// Returns a number that no other index of this process has, even one at the same address.
std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
}

}  // namespace

Mapping::~Mapping() {
    if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

base::Result<Mapping> Mapping::of(const File& file, std::uint64_t size) {
    Mapping mapping;
    if (size == 0) return mapping;
    void* at = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.descriptor(), 0);
    if (at == MAP_FAILED) return fail_errno("mapping an index", errno);
    mapping.bytes_ = {static_cast<const char*>(at), size};
    return mapping;
}

base::Result<Mapping> Mapping::copy_of(const File& file, std::uint64_t size,
                                       const std::string& path) {
    const auto copied = open_nameless(path, 0600);
    if (copied.is_open() && copy(file, copied, size)) return of(copied, size);
    Mapping mapping;
    mapping.is_file_ = false;
    if (size == 0) return mapping;
    void* at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return fail_errno("reading an index", errno);
    mapping.bytes_ = {static_cast<const char*>(at), size};
    if (const auto got = file.read_at(static_cast<char*>(at), size, 0); !got)
        return tl::unexpected(got.error());
    return mapping;
}

void Mapping::forget(std::string_view part) const {
    if (!is_file_) return;
    constexpr std::uintptr_t page = 4096;
    const auto begin = reinterpret_cast<std::uintptr_t>(part.data()) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(part.data()) + part.size();
    // This is advice: a failure does no harm.
    if (!part.empty()) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

base::Result<Index> Index::open(const std::string& path) {
    const auto file = open_file(AT_FDCWD, path);
    if (!file) return tl::unexpected(file.error());
    const auto identity = identity_of(*file);
    if (!identity) return tl::unexpected(identity.error());
    auto mapping = Mapping::copy_of(*file, identity->size, path);
    if (!mapping) return base::fail_at(path, mapping.error());
    const auto bytes = mapping->bytes();
    const auto header = index_format::parse_header(bytes, identity->size);
    if (!header) return damaged(path);
    const auto body_size = header->records_size + header->lookups * index_format::lookup_size;
    const auto body = part(bytes, 0, body_size);
    const auto text = part(bytes, body_size, header->facts_size);
    if (digest_of(*mapping, body) != header->body_digest ||
        digest_of(*mapping, text) != header->facts_digest)
        return damaged(path);
    auto facts = index_format::parse_facts(text);
    if (!facts) return damaged(path);
    Index index;
    index.number_ = next_number();
    index.order_ = std::to_string(header->body_digest);
    index.file_ = std::move(*mapping);
    index.facts_ = std::move(*facts);
    index.records_ = body.substr(0, header->records_size);
    index.lookup_ = body.data() + header->records_size;
    index.lookups_ = header->lookups;
    return index;
}

base::Result<Facts> Index::read_facts(const std::string& path) {
    const auto file = open_file(AT_FDCWD, path);
    if (!file) return tl::unexpected(file.error());
    const auto identity = identity_of(*file);
    if (!identity) return tl::unexpected(identity.error());
    std::string head(sizeof(FileHeader), '\0');
    if (const auto got = file->read_at(head.data(), head.size(), 0); !got)
        return base::fail_at(path, got.error());
    const auto header = index_format::parse_header(head, identity->size);
    if (!header) return damaged(path);
    std::string text(header->facts_size, '\0');
    if (const auto got = file->read_at(text.data(), text.size(), identity->size - text.size());
        !got)
        return base::fail_at(path, got.error());
    if (XXH3_64bits(text.data(), text.size()) != header->facts_digest) return damaged(path);
    auto facts = index_format::parse_facts(text);
    if (!facts) return damaged(path);
    return std::move(*facts);
}

std::optional<Entry> Index::entry(std::size_t i) const {
    const auto read = record_at(records_, lookup_at(lookup_, i).record);
    return read && is_sound(read->entry) ? std::optional(read->entry) : std::nullopt;
}

bool Index::is_sound(const Entry& entry) const {
    if (entry.class_index >= facts_.classes.size()) return false;
    // The entries of a running database have no bytes.
    return facts_.files.empty() ? entry.length == 0 : entry.file < facts_.files.size();
}

// Returns the position of the first look-up that is not below `hash`. Hashes are evenly
// distributed, so their value predicts their position. A guess and doubling steps around it touch
// a page or two; a binary search of 10 million objects touches one at each of its 23 steps.
std::size_t Index::first_of(std::uint64_t hash) const {
    __extension__ using Wide = unsigned __int128;
    const auto guess = static_cast<std::size_t>((Wide{hash} * lookups_) >> 64);
    const auto is_below = [&](std::size_t i) { return lookup_at(lookup_, i).hash < hash; };
    std::size_t low = guess, high = guess;
    for (std::size_t step = 16; low > 0 && !is_below(low - 1); step *= 2)
        low -= std::min(low, step);
    for (std::size_t step = 16; high < lookups_ && is_below(high); step *= 2)
        high += std::min(lookups_ - high, step);
    while (low < high) {
        const auto middle = low + (high - low) / 2;
        if (is_below(middle))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

std::vector<Index::Found> Index::find_folded(const tree::ObjectName& asked) const {
    std::string folded;
    const auto hash = index_format::key_of(asked.class_name, asked.name, folded);
    auto low = first_of(hash);
    std::vector<Found> found;
    for (; low < lookups_ && lookup_at(lookup_, low).hash == hash; ++low) {
        const auto one = entry(low);
        if (one && base::equal_ignoring_case(one->name, asked.name) &&
            base::equal_ignoring_case(facts_.classes[one->class_index].class_name,
                                      asked.class_name))
            found.push_back({*one, lookup_at(lookup_, low).record});
    }
    return found;
}

std::optional<Entry> Index::find_exact(const tree::ObjectName& name) const {
    thread_local LastFound last;
    const auto is_it = [&](const Entry& entry) {
        return is_sound(entry) && entry.name == name.name &&
               facts_.classes[entry.class_index].class_name == name.class_name;
    };
    if (last.index == number_)
        for (const auto at : {last.next, last.at}) {
            const auto read = record_at(records_, at);
            if (!read || !is_it(read->entry)) continue;
            last = {number_, at, read->next};
            return read->entry;
        }
    for (const auto& [entry, at] : find_folded(name)) {
        if (!is_it(entry)) continue;
        last = {number_, at, record_at(records_, at)->next};
        return entry;
    }
    return std::nullopt;
}

std::optional<Entry> Index::find(const tree::ObjectName& asked) const {
    if (const auto exact = find_exact(asked)) return exact;
    const auto found = find_folded(asked);
    return found.size() == 1 ? std::optional(found.front().entry) : std::nullopt;
}

void Index::each(std::uint64_t from, std::uint64_t to,
                 const std::function<bool(const Entry&)>& visit) const {
    const auto end = std::min<std::uint64_t>(to, records_.size());
    if (from >= end) return;
    for (auto read = record_at(records_, from); read; read = record_at(records_, read->next)) {
        if (is_sound(read->entry) && !visit(read->entry)) break;
        if (read->next >= end) break;
    }
    file_.forget(records_.substr(from, end - from));
}

void Index::each_unmatched(const Index& other, const std::function<bool(const Entry&)>& is_match,
                           const std::function<bool(const Entry&)>& visit) const {
    std::size_t at = 0;  // in `other`
    const auto has = [&](std::size_t place, std::uint64_t hash) {
        return place < other.lookups_ && lookup_at(other.lookup_, place).hash == hash;
    };
    for (std::size_t i = 0; i < lookups_; ++i) {
        const auto hash = lookup_at(lookup_, i).hash;
        while (at < other.lookups_ && lookup_at(other.lookup_, at).hash < hash) ++at;
        if (has(at, hash) && !has(at + 1, hash)) {
            if (!is_match) continue;
            if (const auto match = other.entry(at); match && is_match(*match)) continue;
        }
        if (const auto one = entry(i); one && !visit(*one)) return;
    }
}

std::vector<std::uint64_t> Index::places(std::uint64_t objects) const {
    std::vector<std::uint64_t> places{0};
    std::uint64_t at = 0, count = 0;
    for (auto read = record_at(records_, at); read; read = record_at(records_, at)) {
        at = read->next;
        if (++count % objects == 0 && at < records_.size()) {
            file_.forget(records_.substr(places.back(), at - places.back()));
            places.push_back(at);
        }
    }
    file_.forget(records_.substr(places.back()));
    places.push_back(at);
    return places;
}

tree::ObjectName Index::name_of(const Entry& entry) const {
    return {facts_.classes[entry.class_index].class_name, std::string(entry.name)};
}

// ---- Writing ----

bool IndexPart::add(Entry entry, const std::string& class_name) {
    if (classes_.empty() || classes_[last_class_].class_name != class_name) {
        const auto [known, is_new] = class_indexes_.try_emplace(class_name, classes_.size());
        last_class_ = known->second;
        if (is_new) classes_.push_back({class_name, 0});
    }
    if (last_class_ == most_classes) return false;
    ++classes_[last_class_].objects;
    entry.class_index = static_cast<std::uint16_t>(last_class_);
    lookups_.push_back({index_format::key_of(class_name, entry.name, folded_), records_.size()});
    index_format::append_record(records_, entry);
    return true;
}

IndexWriter::IndexWriter(NewFile file) : file_(std::move(file)), lookups_(buckets) {}

base::Result<IndexWriter> IndexWriter::create(const std::string& path) {
    auto file = NewFile::create(path);
    if (!file) return tl::unexpected(file.error());
    // The header is written last.
    if (auto done = file->write(std::string(sizeof(FileHeader), '\0')); !done)
        return tl::unexpected(done.error());
    return IndexWriter(std::move(*file));
}

base::Result<void> IndexWriter::add(const Entry& entry, const std::string& class_name) {
    if (!part_.add(entry, class_name)) return too_many_classes();
    return part_.size() < write_size ? base::Result<void>() : flush();
}

base::Result<void> IndexWriter::flush() {
    auto part = std::exchange(part_, {});
    return write_records(part, 0);
}

base::Result<void> IndexWriter::append(IndexPart part, std::uint64_t lines) {
    if (auto done = flush(); !done) return done;
    return write_records(part, lines);
}

base::Result<void> IndexWriter::write_records(IndexPart& part, std::uint64_t lines) {
    std::vector<std::uint16_t> class_indexes;  // by those of the part
    for (const auto& [class_name, objects] : part.classes_) {
        const auto [known, is_new] = class_indexes_.try_emplace(class_name, classes_.size());
        if (known->second == most_classes) return too_many_classes();
        if (is_new) classes_.push_back({class_name, 0});
        classes_[known->second].objects += objects;
        class_indexes.push_back(static_cast<std::uint16_t>(known->second));
    }
    for (const auto& lookup : part.lookups_) {
        index_format::move_record(part.records_.data() + lookup.record, lines, class_indexes);
        lookups_[lookup.hash >> 56].push_back({lookup.hash, records_size_ + lookup.record});
    }
    records_size_ += part.records_.size();
    body_digest_.add(part.records_);
    return file_.write(part.records_);
}

// Sorts by hash, and equal hashes by name, so that the digest of the build does not depend on the
// order of objects.
std::optional<IndexWriter::Duplicate> IndexWriter::sort(Bucket& bucket,
                                                        std::string_view records) const {
    std::sort(bucket.begin(), bucket.end(), [](const LookupEntry& a, const LookupEntry& b) {
        return std::tie(a.hash, a.record) < std::tie(b.hash, b.record);
    });
    const auto name = [&](const LookupEntry& lookup) {
        const auto read = record_at(records, lookup.record).value();
        return std::pair(std::string_view(classes_[read.entry.class_index].class_name),
                         read.entry.name);
    };
    for (std::size_t i = 0; i + 1 < bucket.size(); ++i) {
        std::size_t end = i + 1;
        while (end < bucket.size() && bucket[end].hash == bucket[i].hash) ++end;
        if (end == i + 1) continue;
        const auto first = bucket.begin() + static_cast<std::ptrdiff_t>(i),
                   last = bucket.begin() + static_cast<std::ptrdiff_t>(end);
        std::stable_sort(first, last,
                         [&](const auto& a, const auto& b) { return name(a) < name(b); });
        const auto same = std::adjacent_find(
            first, last, [&](const auto& a, const auto& b) { return name(a) == name(b); });
        if (same != last) {
            Duplicate duplicate{std::string(name(*same).second),
                                record_at(records, same->record)->entry,
                                record_at(records, std::next(same)->record)->entry};
            duplicate.first.name = duplicate.second.name = {};
            return duplicate;
        }
        i = end - 1;
    }
    return std::nullopt;
}

base::Result<std::optional<IndexWriter::Duplicate>> IndexWriter::complete(Facts& facts,
                                                                          std::size_t threads) {
    const auto mapping = Mapping::of(file_.file(), sizeof(FileHeader) + records_size_);
    if (!mapping) return tl::unexpected(mapping.error());
    const auto records = mapping->bytes().substr(sizeof(FileHeader));
    struct Sorted {
        std::optional<Duplicate> duplicate;
        std::vector<XXH128_hash_t> digests;  // of the objects
    };
    Xxh3 all;
    std::optional<Duplicate> duplicate;
    base::Result<void> written;
    base::make_in_order(
        threads, lookups_.size(),
        [&](std::size_t i) {
            Sorted sorted{sort(lookups_[i], records), {}};
            sorted.digests.reserve(lookups_[i].size());
            for (const auto& lookup : lookups_[i])
                sorted.digests.push_back(record_at(records, lookup.record)->entry.digest);
            return sorted;
        },
        [&](std::size_t i, const Sorted& sorted) {
            duplicate = sorted.duplicate;
            all.add({reinterpret_cast<const char*>(sorted.digests.data()),
                     sorted.digests.size() * sizeof(XXH128_hash_t)});
            const std::string_view lookups(reinterpret_cast<const char*>(lookups_[i].data()),
                                           lookups_[i].size() * sizeof(LookupEntry));
            body_digest_.add(lookups);
            if (!duplicate) written = file_.write(lookups);
            return !duplicate && written;
        });
    if (duplicate) return duplicate;
    if (!written) return tl::unexpected(written.error());
    XXH128_canonical_t bytes;
    XXH128_canonicalFromHash(&bytes, all.digest128());
    facts.digest +=
        base::to_hex({reinterpret_cast<const char*>(bytes.digest), sizeof bytes.digest});
    facts.classes = std::move(classes_);
    return std::nullopt;
}

base::Result<void> IndexWriter::write_header(std::string_view facts) {
    FileHeader header;
    header.records_size = records_size_;
    for (const auto& bucket : lookups_) header.lookups += bucket.size();
    header.facts_size = facts.size();
    header.body_digest = body_digest_.digest64();
    header.facts_digest = XXH3_64bits(facts.data(), facts.size());
    header.header_digest = index_format::digest_of(header);
    if (::pwrite(file_.file().descriptor(), &header, sizeof header, 0) != sizeof header)
        return fail_errno("writing an index", errno);
    return {};
}

base::Result<std::optional<IndexWriter::Duplicate>> IndexWriter::finish(Facts facts,
                                                                        std::size_t threads) {
    if (facts.untracked > 0)
        base::log::warning(
            "some objects are not tracked: their names are too long, or start too far into the "
            "line, or their class has a colon",
            {{"build", facts.release.version}, {"objects", std::to_string(facts.untracked)}});
    if (auto done = flush(); !done) return tl::unexpected(done.error());
    if (auto duplicate = complete(facts, threads); !duplicate || *duplicate) return duplicate;
    const auto text = index_format::to_text(facts);
    if (auto done = file_.write(text); !done) return tl::unexpected(done.error());
    if (auto done = write_header(text); !done) return tl::unexpected(done.error());
    if (auto done = file_.put_in_place(); !done) return tl::unexpected(done.error());
    return std::nullopt;
}

}  // namespace source
