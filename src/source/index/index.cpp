// SPDX-License-Identifier: MIT
#include "source/index/index.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <thread>
#include <tuple>
#include <unistd.h>

#include "base/digest.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace source {
namespace {

using index_format::entry_of;
using index_format::FileHeader;
using index_format::Record;

constexpr std::size_t write_size = 1 << 20;
constexpr std::size_t most_classes = 65535;
constexpr std::size_t read_at_once = 1 << 19;  // records, of which a window of an index is held

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

// Where a thread found the last name that it looked for. Whoever walks through one build and looks the
// objects up in another one does so in the order of both, so the next name is usually a step away.
struct LastFound {
    std::uint64_t index = 0;   // its number
    std::size_t position = 0;  // of the first record of that name, or behind it
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

base::Result<Mapping> Mapping::copy_of(const File& file, std::uint64_t size,
                                       const std::string& path) {
    const auto copied = open_nameless(path, 0600);
    Mapping mapping;
    mapping.is_file_ = copied.is_open() && copy(file, copied, size);
    if (size == 0) return mapping;
    void* at =
        mapping.is_file_
            ? ::mmap(nullptr, size, PROT_READ, MAP_SHARED, copied.descriptor(), 0)
            : ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return fail_errno("reading an index", errno);
    mapping.bytes_ = {static_cast<const char*>(at), size};
    if (mapping.is_file_) return mapping;
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
    const auto header = index_format::parse_header(mapping->bytes(), identity->size);
    if (!header) return damaged(path);
    Index index;
    index.number_ = next_number();
    index.order_ = std::to_string(header->body_digest);
    index.file_ = std::move(*mapping);
    const auto* records = index.file_.bytes().data() + sizeof(FileHeader);
    index.records_ = {reinterpret_cast<const Record*>(records), header->records};
    index.names_ = {records + index.records_.size_bytes(), header->names_size};
    const std::string_view text(index.names_.end(), header->facts_size);
    auto facts = index_format::parse_facts(text);
    if (!facts || XXH3_64bits(text.data(), text.size()) != header->facts_digest)
        return damaged(path);
    index.facts_ = std::move(*facts);
    if (index.digest_of_body() != header->body_digest) return damaged(path);
    return index;
}

std::optional<std::uint64_t> Index::digest_of_body() const {
    Xxh3 digest;
    for (std::size_t from = 0; from < records_.size(); from += read_at_once) {
        const auto to = std::min(records_.size(), from + read_at_once);
        for (auto position = from; position < to; ++position)
            if (!is_sound(records_[position])) return std::nullopt;
        const auto window = records_.subspan(from, to - from);
        digest.add({reinterpret_cast<const char*>(window.data()), window.size_bytes()});
        forget(from, to);
    }
    digest.add(names_);
    return digest.digest().low64;
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

bool Index::is_sound(const Record& record) const {
    if (record.name_at > names_.size() || record.name_size > names_.size() - record.name_at)
        return false;
    if (record.class_index >= facts_.classes.size()) return false;
    // The entries of a running database have no bytes.
    return facts_.files.empty() ? record.length == 0 : record.file < facts_.files.size();
}

std::size_t Index::first_named(std::string_view name) const {
    thread_local LastFound last;
    constexpr std::ptrdiff_t near = 8;
    const auto is_before = [&](const Record& record) {
        return compare_folded(name_in(record), name) < 0;
    };
    auto begin = records_.begin();
    if (last.index == number_ && last.position < records_.size() &&
        compare_folded(name_in(records_[last.position]), name) <= 0)
        begin += static_cast<std::ptrdiff_t>(last.position);
    const auto next = begin + std::min(near, records_.end() - begin);
    auto found = std::partition_point(begin, next, is_before);
    if (found == next) found = std::partition_point(next, records_.end(), is_before);
    last = {number_, static_cast<std::size_t>(found - records_.begin())};
    return last.position;
}

template <class Visit>
void Index::each_named(std::string_view name, const Visit& visit) const {
    for (const auto& record : records_.subspan(first_named(name)))
        if (compare_folded(name_in(record), name) != 0 || !visit(entry_of(record))) return;
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
    to = std::min<std::uint64_t>(to, records_.size());
    if (from >= to) return;
    for (auto position = from; position < to; ++position)
        if (!visit(entry_of(records_[position]))) break;
    forget(from, to);
}

void Index::forget(std::size_t from, std::size_t to) const {
    const auto part = records_.subspan(from, to - from);
    const auto &first = part.front(), &last = part.back();
    file_.forget({reinterpret_cast<const char*>(part.data()), part.size_bytes()});
    file_.forget({names_.data() + first.name_at, last.name_at + last.name_size - first.name_at});
}

std::vector<std::uint64_t> Index::places(std::uint64_t objects) const {
    std::vector<std::uint64_t> places{0};
    do {
        auto at = std::min<std::uint64_t>(records_.size(), places.back() + objects);
        while (at > 0 && at < records_.size() &&
               compare_folded(name_in(records_[at - 1]), name_in(records_[at])) == 0)
            ++at;
        places.push_back(at);
    } while (places.back() < records_.size());
    return places;
}

tree::ObjectName Index::name_of(const Entry& entry) const {
    return {facts_.classes[entry.class_index].class_name, std::string(entry.name)};
}

// ---- Writing ----

bool IndexPart::add(const Entry& entry, const std::string& class_name) {
    const auto class_index = index_of(class_name);
    if (class_index == most_classes) return false;
    ++classes_[class_index].objects;
    records_.push_back({entry.digest.high64, entry.digest.low64, entry.offset, entry.length,
                        entry.line, names_.size(), entry.file,
                        static_cast<std::uint16_t>(class_index),
                        static_cast<std::uint16_t>(entry.name.size()), 0});
    names_ += entry.name;
    return true;
}

std::size_t IndexPart::index_of(const std::string& class_name) {
    if (classes_.empty() || classes_[last_class_].class_name != class_name) {
        const auto [known, is_new] = class_indexes_.try_emplace(class_name, classes_.size());
        last_class_ = known->second;
        if (is_new) classes_.push_back({class_name, 0});
    }
    return last_class_;
}

base::Result<IndexWriter> IndexWriter::create(const std::string& path) {
    auto file = NewFile::create(path);
    if (!file) return tl::unexpected(file.error());
    // The header is written last.
    if (auto done = file->write(std::string(sizeof(FileHeader), '\0')); !done)
        return tl::unexpected(done.error());
    return IndexWriter(std::move(*file));
}

base::Result<void> IndexWriter::add(const Entry& entry, const std::string& class_name) {
    return all_.add(entry, class_name) ? base::Result<void>() : too_many_classes();
}

base::Result<void> IndexWriter::append(const IndexPart& part, std::uint64_t lines) {
    std::vector<std::uint16_t> class_indexes;  // by those of the part
    for (const auto& [class_name, objects] : part.classes_) {
        const auto class_index = all_.index_of(class_name);
        if (class_index == most_classes) return too_many_classes();
        all_.classes_[class_index].objects += objects;
        class_indexes.push_back(static_cast<std::uint16_t>(class_index));
    }
    for (auto record : part.records_) {
        record.line += lines;
        record.name_at += all_.names_.size();
        record.class_index = class_indexes[record.class_index];
        all_.records_.push_back(record);
    }
    all_.names_ += part.names_;
    return {};
}

std::vector<IndexWriter::Place> IndexWriter::sorted() const {
    const auto key_of = [&](const Place& place) {
        const auto& record = all_.records_[place.position];
        return Key{all_.name_in(record), all_.classes_[record.class_index].class_name};
    };
    // Of records with one key, of which a duplicate names two, the first in the files comes first.
    const auto is_first = [&](const Place& a, const Place& b) {
        if (const auto order = a.start <=> b.start; order != 0) return order < 0;
        const auto key_a = key_of(a), key_b = key_of(b);
        return is_before(key_a, key_b) || (!is_before(key_b, key_a) && a.position < b.position);
    };
    std::vector<Place> places;
    places.reserve(all_.records_.size());
    for (const auto& record : all_.records_)
        places.push_back({folded_start(all_.name_in(record)), places.size()});
    const auto middle = places.begin() + static_cast<std::ptrdiff_t>(places.size() / 2);
    {
        const std::jthread other([&] { std::sort(places.begin(), middle, is_first); });
        std::sort(middle, places.end(), is_first);
    }
    std::inplace_merge(places.begin(), middle, places.end(), is_first);
    return places;
}

base::Result<std::optional<IndexWriter::Duplicate>> IndexWriter::finish(Facts facts) {
    if (facts.untracked > 0)
        base::log::warning(
            "some objects are not tracked: their names are too long, or start too far into the "
            "line, or their class has a colon",
            {{"build", facts.release.version}, {"objects", std::to_string(facts.untracked)}});
    FileHeader header;
    Xxh3 body, digests;
    std::string buffer, names;
    const auto write = [&](std::string_view bytes) {
        body.add(bytes);
        return file_.write(bytes);
    };
    const Record* last = nullptr;
    for (const auto& place : sorted()) {
        const auto& added = all_.records_[place.position];
        const auto name = all_.name_in(added);
        if (last != nullptr && all_.name_in(*last) == name &&
            last->class_index == added.class_index)
            return Duplicate{std::string(name), entry_of(*last), entry_of(added)};
        last = &added;
        auto record = added;
        record.name_at = names.size();
        names += name;
        const auto entry = entry_of(record);
        digests.add({reinterpret_cast<const char*>(&entry.digest), sizeof entry.digest});
        buffer.append(reinterpret_cast<const char*>(&record), sizeof record);
        if (buffer.size() < write_size) continue;
        if (auto done = write(std::exchange(buffer, {})); !done)
            return tl::unexpected(done.error());
    }
    for (const auto* bytes : {&buffer, &names})
        if (auto done = write(*bytes); !done) return tl::unexpected(done.error());
    XXH128_canonical_t bytes;
    XXH128_canonicalFromHash(&bytes, digests.digest());
    facts.digest +=
        base::to_hex({reinterpret_cast<const char*>(bytes.digest), sizeof bytes.digest});
    facts.classes = std::move(all_.classes_);
    const auto text = index_format::to_text(facts);
    if (auto done = file_.write(text); !done) return tl::unexpected(done.error());
    header.records = all_.records_.size();
    header.names_size = names.size();
    header.facts_size = text.size();
    header.body_digest = body.digest().low64;
    header.facts_digest = XXH3_64bits(text.data(), text.size());
    header.header_digest = index_format::digest_of(header);
    if (::pwrite(file_.file().descriptor(), &header, sizeof header, 0) != sizeof header)
        return fail_errno("writing an index", errno);
    if (auto done = file_.put_in_place(); !done) return tl::unexpected(done.error());
    return std::nullopt;
}

}  // namespace source
