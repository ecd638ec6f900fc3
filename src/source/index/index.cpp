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
#include "base/log.hpp"
#include "base/text.hpp"

namespace source {
namespace {

using index_format::FileHeader;
using index_format::record_at;

constexpr std::size_t write_size = 1 << 20;
constexpr std::size_t most_classes = 65535;
constexpr std::size_t records_of_place = 64;
constexpr std::uint64_t nowhere = UINT64_MAX;

tl::unexpected<base::Error> too_many_classes() {
    return base::fail(base::ErrorKind::refused, "more than 65,535 classes");
}

unsigned char lower(char c) {
    return static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

// Compares names ignoring ASCII case: negative, 0 or positive.
int compare_folded(std::string_view a, std::string_view b) {
    const auto length = std::min(a.size(), b.size());
    std::size_t i = 0;
    while (i + 8 <= length && std::memcmp(a.data() + i, b.data() + i, 8) == 0) i += 8;
    for (; i < length; ++i)
        if (a[i] != b[i] && lower(a[i]) != lower(b[i])) return lower(a[i]) - lower(b[i]);
    return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

// Returns the first 16 bytes of a name in lower case, as numbers that are in the order of the names. Names
// with the same ones are to be compared.
FoldedStart folded_start(std::string_view name) {
    const auto eight_from = [&](std::size_t from) {
        std::uint64_t bytes = 0;
        for (auto at = from; at < from + 8; ++at)
            bytes = bytes << 8 | (at < name.size() ? lower(name[at]) : 0U);
        return bytes;
    };
    return {eight_from(0), eight_from(8)};
}

// What records are sorted by.
struct Key {
    std::string_view name, class_name;
};
bool is_before(const Key& a, const Key& b) {
    if (const auto folded = compare_folded(a.name, b.name); folded != 0) return folded < 0;
    return std::tie(a.name, a.class_name) < std::tie(b.name, b.class_name);
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

// Where a thread found the last name that it looked for. Whoever walks through one build and looks the
// objects up in another one does so in the order of both, so the next name is usually a step away.
struct LastFound {
    std::uint64_t index = 0;  // its number
    std::uint64_t at = 0;     // of the first record of that name
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
    const auto body_size = header->records_size + header->places * index_format::place_size;
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
    index.places_ = body.substr(header->records_size);
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

bool Index::is_sound(const Entry& entry) const {
    if (entry.class_index >= facts_.classes.size()) return false;
    // The entries of a running database have no bytes.
    return facts_.files.empty() ? entry.length == 0 : entry.file < facts_.files.size();
}

// Returns the place of the last of the records with a place of their own that is before all of this name,
// or of the first record.
std::uint64_t Index::place_of(std::string_view name) const {
    const auto place = [&](std::size_t i) {
        std::uint64_t at = 0;
        std::memcpy(&at, places_.data() + i * sizeof at, sizeof at);
        return at;
    };
    std::size_t low = 0, high = places_.size() / index_format::place_size;
    while (high - low > 1) {
        const auto middle = low + (high - low) / 2;
        const auto read = record_at(records_, place(middle));
        (read && compare_folded(read->entry.name, name) < 0 ? low : high) = middle;
    }
    return high == 0 ? 0 : place(low);
}

// Returns the place of the first record of this name in any case, else of the one behind it.
std::uint64_t Index::first_place(std::string_view name) const {
    thread_local LastFound last;
    constexpr int few = 8;
    const auto go_on = [&](std::uint64_t at, int steps) {
        for (; steps > 0; --steps) {
            const auto read = record_at(records_, at);
            if (!read || compare_folded(read->entry.name, name) >= 0) return at;
            at = read->next;
        }
        return nowhere;
    };
    auto at = nowhere;
    if (last.index == number_) {
        const auto before = record_at(records_, last.at);
        if (before && compare_folded(before->entry.name, name) <= 0) at = go_on(last.at, few);
    }
    if (at == nowhere) at = go_on(place_of(name), records_of_place + 1);
    // A damaged file may have more records between two places.
    if (at == nowhere) at = records_.size();
    last = {number_, at};
    return at;
}

template <class Visit>
void Index::each_named(std::string_view name, Visit&& visit) const {
    for (auto read = record_at(records_, first_place(name));
         read && compare_folded(read->entry.name, name) == 0;
         read = record_at(records_, read->next))
        if (is_sound(read->entry) && !visit(read->entry)) return;
}

std::optional<Entry> Index::find_exact(const tree::ObjectName& name) const {
    std::optional<Entry> found;
    each_named(name.name, [&](const Entry& entry) {
        if (entry.name == name.name &&
            facts_.classes[entry.class_index].class_name == name.class_name)
            found = entry;
        return !found;
    });
    return found;
}

std::optional<Entry> Index::find(const tree::ObjectName& asked) const {
    if (const auto exact = find_exact(asked)) return exact;
    std::optional<Entry> found;
    std::size_t count = 0;
    each_named(asked.name, [&](const Entry& entry) {
        if (!base::equal_ignoring_case(facts_.classes[entry.class_index].class_name,
                                       asked.class_name))
            return true;
        found = entry;
        return ++count < 2;
    });
    return count == 1 ? found : std::nullopt;
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

std::vector<std::uint64_t> Index::places(std::uint64_t objects) const {
    std::vector<std::uint64_t> places{0};
    std::uint64_t at = 0, count = 0;
    std::string_view last;  // the name before
    for (auto read = record_at(records_, at); read; read = record_at(records_, at)) {
        if (count >= objects && compare_folded(last, read->entry.name) != 0) {
            file_.forget(records_.substr(places.back(), at - places.back()));
            places.push_back(at);
            count = 0;
        }
        ++count;
        last = read->entry.name;
        at = read->next;
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
    places_.push_back({folded_start(entry.name), records_.size()});
    index_format::append_record(records_, entry);
    return true;
}

void IndexPart::sort() {
    const auto key_at = [&](std::uint64_t at) {
        const auto entry = record_at(records_, at)->entry;
        return Key{entry.name, classes_[entry.class_index].class_name};
    };
    const auto is_first = [&](const Place& a, const Place& b) {
        if (const auto order = a.start <=> b.start; order != 0) return order < 0;
        return is_before(key_at(a.at), key_at(b.at));
    };
    auto places = std::exchange(places_, {});
    if (std::ranges::is_sorted(places, is_first)) return;
    std::ranges::stable_sort(places, is_first);
    std::string records;
    records.reserve(records_.size());
    for (const auto& [start, at] : places)
        records.append(records_, at, record_at(records_, at)->next - at);
    records_ = std::move(records);
}

base::Result<IndexWriter> IndexWriter::create(const std::string& path) {
    auto file = NewFile::create(path);
    if (!file) return tl::unexpected(file.error());
    // The header is written last.
    if (auto done = file->write(std::string(sizeof(FileHeader), '\0')); !done)
        return tl::unexpected(done.error());
    auto unmerged = open_nameless(path, 0600);
    if (!unmerged.is_open()) unmerged = File(::memfd_create("index", MFD_CLOEXEC));
    if (!unmerged.is_open()) return fail_errno("writing an index", errno);
    return IndexWriter(path, std::move(*file), std::move(unmerged));
}

base::Result<void> IndexWriter::add(const Entry& entry, const std::string& class_name) {
    if (!part_.add(entry, class_name)) return too_many_classes();
    return part_.size() < write_size ? base::Result<void>() : append({}, 0);
}

base::Result<void> IndexWriter::append(IndexPart part, std::uint64_t lines) {
    if (part_.size() > 0)
        if (auto done = append(std::exchange(part_, {}), 0); !done) return done;
    if (part.size() == 0) return {};
    part.sort();
    std::vector<std::uint16_t> class_indexes;  // by those of the part
    for (const auto& [class_name, objects] : part.classes_) {
        const auto [known, is_new] = class_indexes_.try_emplace(class_name, classes_.size());
        if (known->second == most_classes) return too_many_classes();
        if (is_new) classes_.push_back({class_name, 0});
        classes_[known->second].objects += objects;
        class_indexes.push_back(static_cast<std::uint16_t>(known->second));
    }
    std::uint64_t last = 0;
    for (std::uint64_t at = 0; at < part.size();) {
        last = at;
        at = index_format::move_record(part.records_, at, lines, class_indexes);
    }
    const auto key_at = [&](std::uint64_t at) {
        const auto entry = record_at(part.records_, at)->entry;
        return Key{entry.name, classes_[entry.class_index].class_name};
    };
    const auto begin = runs_.empty() ? 0 : runs_.back().to;
    if (runs_.empty() || is_before(key_at(0), {last_name_, last_class_}))
        runs_.push_back({begin, begin});
    runs_.back().to += part.size();
    const auto [name, class_name] = key_at(last);
    last_name_ = name;
    last_class_ = class_name;
    if (auto done = unmerged_.write(part.records_); !done)
        return base::fail_at(path_, done.error());
    return {};
}

// What finish() has written.
struct IndexWriter::Merging {
    Xxh3 body{Xxh3::Width::bits64}, digests;
    std::uint64_t size = 0, count = 0;  // bytes of records, and records
    std::string places;
};

base::Result<void> IndexWriter::write(std::string_view bytes, Xxh3& digest) const {
    digest.add(bytes);
    return file_.write(bytes);
}

base::Result<std::optional<IndexWriter::Duplicate>> IndexWriter::merge(Merging& merging) {
    const auto mapping = Mapping::of(unmerged_, runs_.empty() ? 0 : runs_.back().to);
    if (!mapping) return tl::unexpected(mapping.error());
    const auto records = mapping->bytes();
    const auto key_of = [&](const Entry& entry) {
        return Key{entry.name, classes_[entry.class_index].class_name};
    };
    struct Head {
        FoldedStart start;
        std::uint64_t at, end;
    };
    // Of records with one key, of which a duplicate names two, the first in the files comes first.
    const auto is_later = [&](const Head& a, const Head& b) {
        if (const auto order = a.start <=> b.start; order != 0) return order > 0;
        const auto key_a = key_of(record_at(records, a.at)->entry);
        const auto key_b = key_of(record_at(records, b.at)->entry);
        if (is_before(key_b, key_a)) return true;
        return !is_before(key_a, key_b) && b.at < a.at;
    };
    std::vector<Head> heads;  // a heap, the first record on top
    const auto push = [&](std::uint64_t at, std::uint64_t end) {
        if (at == end) return;
        heads.push_back({folded_start(record_at(records, at)->entry.name), at, end});
        std::ranges::push_heap(heads, is_later);
    };
    for (const auto& run : runs_) push(run.from, run.to);
    std::string buffer;
    std::optional<Entry> last;
    while (!heads.empty()) {
        std::ranges::pop_heap(heads, is_later);
        const auto [start, at, end] = heads.back();
        heads.pop_back();
        const auto [entry, next] = *record_at(records, at);
        if (last && last->name == entry.name && last->class_index == entry.class_index) {
            Duplicate duplicate{std::string(entry.name), *last, entry};
            duplicate.first.name = duplicate.second.name = {};
            return duplicate;
        }
        last = entry;
        if (merging.count++ % records_of_place == 0)
            merging.places.append(reinterpret_cast<const char*>(&merging.size),
                                  sizeof merging.size);
        merging.size += next - at;
        merging.digests.add({reinterpret_cast<const char*>(&entry.digest), sizeof entry.digest});
        buffer.append(records, at, next - at);
        if (buffer.size() >= write_size) {
            if (auto done = write(buffer, merging.body); !done)
                return tl::unexpected(done.error());
            buffer.clear();
        }
        push(next, end);
    }
    if (auto done = write(buffer, merging.body); !done) return tl::unexpected(done.error());
    if (auto done = write(merging.places, merging.body); !done)
        return tl::unexpected(done.error());
    return std::nullopt;
}

base::Result<std::optional<IndexWriter::Duplicate>> IndexWriter::finish(Facts facts) {
    if (facts.untracked > 0)
        base::log::warning(
            "some objects are not tracked: their names are too long, or start too far into the "
            "line, or their class has a colon",
            {{"build", facts.release.version}, {"objects", std::to_string(facts.untracked)}});
    if (auto done = append({}, 0); !done) return tl::unexpected(done.error());
    Merging merging;
    if (auto duplicate = merge(merging); !duplicate || *duplicate) return duplicate;
    XXH128_canonical_t bytes;
    XXH128_canonicalFromHash(&bytes, merging.digests.digest128());
    facts.digest +=
        base::to_hex({reinterpret_cast<const char*>(bytes.digest), sizeof bytes.digest});
    facts.classes = std::move(classes_);
    const auto text = index_format::to_text(facts);
    if (auto done = file_.write(text); !done) return tl::unexpected(done.error());
    FileHeader header;
    header.records_size = merging.size;
    header.places = merging.places.size() / index_format::place_size;
    header.facts_size = text.size();
    header.body_digest = merging.body.digest64();
    header.facts_digest = XXH3_64bits(text.data(), text.size());
    header.header_digest = index_format::digest_of(header);
    if (::pwrite(file_.file().descriptor(), &header, sizeof header, 0) != sizeof header)
        return fail_errno("writing an index", errno);
    if (auto done = file_.put_in_place(); !done) return tl::unexpected(done.error());
    return std::nullopt;
}

}  // namespace source
