// SPDX-License-Identifier: MIT
#include "source/index.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/mman.h>

#include "base/text.hpp"
#include "source/index_format.hpp"

namespace source {
namespace {

using index_format::record_at;

struct Lookup {
    std::uint64_t hash = 0;
    std::uint64_t record = 0;
};

Lookup lookup_at(const char* lookups, std::size_t i) {
    Lookup lookup;
    std::memcpy(&lookup, lookups + i * sizeof lookup, sizeof lookup);
    return lookup;
}

tl::unexpected<base::Error> damaged(const std::string& path) {
    return base::fail(base::Kind::malformed, path + " is damaged, or no index of this program");
}

// The part of the file behind the header that begins at `at`.
std::string_view part(std::string_view file, std::uint64_t at, std::uint64_t size) {
    return file.substr(sizeof(index_format::Header) + at, size);
}

struct FreeState {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

// XXH3 of a part of the mapping, of which at most a window is held at once.
std::uint64_t digest_of(const Mapping& mapping, std::string_view part) {
    constexpr std::size_t window = 32 << 20;
    const std::unique_ptr<XXH3_state_t, FreeState> state(XXH3_createState());
    if (state == nullptr) throw std::bad_alloc();
    XXH3_64bits_reset(state.get());
    while (!part.empty()) {
        const auto piece = part.substr(0, window);
        XXH3_64bits_update(state.get(), piece.data(), piece.size());
        mapping.forget(piece);
        part.remove_prefix(piece.size());
    }
    return XXH3_64bits_digest(state.get());
}

// Where a thread found an object last. Who walks a build asks for its objects in another in the
// same order, and most often the next one is the one asked for: no hash, no search.
struct LastFound {
    std::uint64_t index = 0;  // its number
    std::uint64_t at = 0, next = 0;
};

// No index has the number of another, though it may lie where that lay.
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

void Mapping::forget(std::string_view part) const {
    constexpr std::uintptr_t page = 4096;
    const auto begin = reinterpret_cast<std::uintptr_t>(part.data()) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(part.data()) + part.size();
    // Advice: that it can't be followed harms nobody.
    if (!part.empty()) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

base::Result<Index> Index::open(const std::string& path) {
    const auto file = open_file(AT_FDCWD, path);
    if (!file) return tl::unexpected(file.error());
    const auto stamp = stamp_of(*file);
    if (!stamp) return tl::unexpected(stamp.error());
    auto mapping = Mapping::of(*file, stamp->size);
    if (!mapping) return base::fail_at(path, mapping.error());
    const auto bytes = mapping->bytes();
    const auto header = index_format::parse_header(bytes, stamp->size);
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
    const auto stamp = stamp_of(*file);
    if (!stamp) return tl::unexpected(stamp.error());
    std::string head(sizeof(index_format::Header), '\0');
    if (const auto got = file->read_at(head.data(), head.size(), 0); !got)
        return base::fail_at(path, got.error());
    const auto header = index_format::parse_header(head, stamp->size);
    if (!header) return damaged(path);
    std::string text(header->facts_size, '\0');
    if (const auto got = file->read_at(text.data(), text.size(), stamp->size - text.size()); !got)
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
    // Of a build that is no files, an entry has no bytes.
    return facts_.files.empty() ? entry.length == 0 : entry.file < facts_.files.size();
}

// The place of the first look-up that is not below `hash`. Hashes are spread evenly, so their
// value tells where they lie, give or take some: a guess and doubling steps around it touch a
// page or two, a search from the middle one at each of its 23 steps (10 million objects).
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

}  // namespace source
