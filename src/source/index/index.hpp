// source/index/index.hpp -- the index of a build: a file that finds any object without scanning.
//
// The file, in the byte order of the machine (a file of another byte order is made again):
//   header   sizes and XXH3 digests of the parts below, and of itself
//   records  56 bytes each; sorted by the name in lower case, then by name and class
//   names    of the records, in their order
//   facts    text, a line each: release, folder, digest, untracked, flaw, file, class, ...
// Readers check the digests of a private copy and the bounds of every position before they use anything in
// it. A damaged index is made again if its build is still there, and not repaired. Safe
// from any thread once open.
// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>
#include <xxhash.h>

#include "base/result.hpp"
#include "source/file.hpp"
#include "source/index/index_format.hpp"
#include "source/source.hpp"
#include "source/xxh3.hpp"

namespace source {

// The bytes of a file, mapped read-only.
class Mapping {
   public:
    Mapping() = default;
    ~Mapping();
    Mapping(Mapping&& other) noexcept
        : bytes_(std::exchange(other.bytes_, {})), is_file_(other.is_file_) {}
    Mapping& operator=(Mapping&& other) noexcept {
        std::swap(bytes_, other.bytes_);
        std::swap(is_file_, other.is_file_);
        return *this;
    }
    // Maps a copy that nobody else can reach, so that whoever overwrites the file in place (cp
    // does) changes nothing here. The copy is a file without a name in the folder of `path`, which
    // vanishes with the mapping; where that can't be made, it is in memory.
    //   size   of the file; the copy is zero-filled where the file is shorter by now
    //   error  unavailable
    //   cost   4 GB/s from the page cache; nothing where files share blocks (XFS, Btrfs)
    [[nodiscard]] static base::Result<Mapping> copy_of(const File& file, std::uint64_t size,
                                                       const std::string& path);
    [[nodiscard]] std::string_view bytes() const { return bytes_; }
    // Releases memory; what is read again comes from the page cache. Otherwise a program that
    // walked through a large index once would seem to occupy all of it.
    void forget(std::string_view part) const;  // needs: part of bytes()

   private:
    std::string_view bytes_;
    bool is_file_ = true;  // false: in memory, which cannot be read again
};

class Index {
   public:
    // Opens an index: copies it (Mapping::copy_of) and checks the whole copy. What happens to the
    // file afterwards does not matter.
    //   error  absent; malformed (damaged, another format or machine); unavailable
    [[nodiscard]] static base::Result<Index> open(const std::string& path);

    // Reads the facts alone, without checking the rest.
    //   error  as open
    [[nodiscard]] static base::Result<Facts> read_facts(const std::string& path);

    [[nodiscard]] const Facts& facts() const { return facts_; }

    // Finds an object as Source::find does: exact, else the only match ignoring ASCII case.
    //   cost  a binary search; a few steps where the last name that this thread looked for is just
    //         before this one in the order of the index
    [[nodiscard]] std::optional<Entry> find(const tree::ObjectName& asked) const;
    // Finds the object of exactly this spelling. Costs the same.
    [[nodiscard]] std::optional<Entry> find_exact(const tree::ObjectName& name) const;

    // Visits entries in the order of the index, from one of places() up to another; `visit` returns
    // false to stop. Releases the memory of what it visited.
    void each(std::uint64_t from, std::uint64_t to,
              const std::function<bool(const Entry&)>& visit) const;

    // Returns where each run of `objects` records begins, and where the last one ends. Records whose names differ in
    // case alone are in one run.
    //   needs  objects > 0
    [[nodiscard]] std::vector<std::uint64_t> places(std::uint64_t objects) const;

    // Returns text that is equal for indexes with equal records.
    [[nodiscard]] const std::string& order() const { return order_; }

    [[nodiscard]] tree::ObjectName name_of(const Entry& entry) const;

   private:
    using Record = index_format::Record;
    [[nodiscard]] std::string_view name_in(const Record& record) const {
        return names_.substr(record.name_at, record.name_size);
    }
    [[nodiscard]] Entry entry_of(const Record& record) const {
        return index_format::entry_of(record, name_in(record));
    }
    [[nodiscard]] bool is_sound(const Record& record) const;
    // Returns the digest of records and names; nullopt: a record is not sound.
    [[nodiscard]] std::optional<std::uint64_t> digest_of_body() const;
    // Releases the memory of these records and their names. Requires from < to.
    void forget(std::size_t from, std::size_t to) const;
    // Returns the position of the first record of this name in any case, else of the one behind it.
    [[nodiscard]] std::size_t first_named(std::string_view name) const;
    // Visits the entries of this name in any case; `visit` returns false to stop.
    template <class Visit>
    void each_named(std::string_view name, const Visit& visit) const;

    Mapping file_;
    Facts facts_;
    std::uint64_t number_ = 0;  // of this index in the process
    std::string order_;
    std::span<const Record> records_;
    std::string_view names_;
};

// The beginning of a name, for comparisons that need not read the name.
struct FoldedStart {
    std::uint64_t first = 0, second = 0;
    auto operator<=>(const FoldedStart&) const = default;
};

// Objects on their way into an index. Each thread may make its own; IndexWriter::append puts them
// together.
class IndexPart {
   public:
    // Adds an object; sets entry.class_index itself. Returns false above 65,535 classes.
    [[nodiscard]] bool add(const Entry& entry, const std::string& class_name);

   private:
    friend class IndexWriter;
    [[nodiscard]] std::size_t index_of(const std::string& class_name);
    [[nodiscard]] std::string_view name_in(const index_format::Record& record) const {
        return std::string_view(names_).substr(record.name_at, record.name_size);
    }

    std::vector<index_format::Record> records_;
    std::string names_;
    std::vector<ClassCount> classes_;
    std::unordered_map<std::string, std::size_t> class_indexes_;  // in classes_
    std::size_t last_class_ = 0;
};

// Writes an index that gets its name when it is whole (NewFile). Two processes may write one index
// at once: the last one wins.
class IndexWriter {
   public:
    //   error  unavailable
    [[nodiscard]] static base::Result<IndexWriter> create(const std::string& path);

    // Adds an object.
    //   error   refused above 65,535 classes
    //   memory  56 bytes and the name
    [[nodiscard]] base::Result<void> add(const Entry& entry, const std::string& class_name);

    // Adds the objects of a part, whose lines are counted from the one after `lines`.
    //   error  as add
    [[nodiscard]] base::Result<void> append(const IndexPart& part, std::uint64_t lines);

    // Two records of one class and name.
    struct Duplicate {
        std::string name;
        Entry first, second;  // without their names
    };

    // Sorts what was added, writes it, syncs and renames. Logs how many objects are not tracked.
    //   facts    without classes; their digest becomes a prefix of the one that is computed here
    //   returns  nothing, or a duplicate: then the index is not put in place
    //   error    unavailable (a full disk)
    //   memory   24 bytes an object
    [[nodiscard]] base::Result<std::optional<Duplicate>> finish(Facts facts);

   private:
    explicit IndexWriter(NewFile file) : file_(std::move(file)) {}
    struct Place {
        FoldedStart start;  // of the name
        std::size_t position;
    };
    // Returns the places of all records, in the order of the index. Two threads sort.
    [[nodiscard]] std::vector<Place> sorted() const;

    NewFile file_;
    IndexPart all_;
};

}  // namespace source
