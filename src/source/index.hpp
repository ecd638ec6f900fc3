// source/index.hpp -- one file a release that finds any object of a build without scanning.
//
// File, in the byte order of the machine (another order is another magic, hence rebuilt):
//   header   sizes and XXH3 digests of the parts below, and of itself
//   records  in the order of the dump files, 48 bytes and the name, padded to 8
//   lookups  (XXH3 of folded class, NUL, folded name; place of the record), sorted
//   facts    text, a line each: release, folder, digest, untracked, flaw, file, class, ...
// Nothing of it is trusted before the digests are checked, and no place without its bounds. It
// can always be made again, so a damaged one is dropped rather than repaired.
// Safe from any thread once open.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>
#include <xxhash.h>

#include "base/release.hpp"
#include "base/result.hpp"
#include "source/file.hpp"
#include "source/source.hpp"

namespace source {

// How an object's bytes are written in a plain file.
enum class Layout : std::uint8_t { ace, json };

struct DumpFile {
    std::string name;  // inside the folder
    FileStamp stamp;
    std::uint64_t plain_size = 0;  // of its plain form: unpacked, or written anew
    Layout layout = Layout::ace;   // of its plain form
    // Named by another with @NAME: no file of objects by itself, and has no plain form.
    bool is_included = false;
    bool operator==(const DumpFile&) const = default;
};

// What an index knows of its build as a whole.
struct Facts {
    base::Release release;
    std::string folder;           // where the build lay, links resolved
    std::string digest;           // Source::digest()
    std::uint64_t untracked = 0;  // objects whose class or name is too long
    std::vector<DumpFile> files;
    std::vector<ClassCount> classes;
    std::string flaw = {};  // where a dump file is cut off; empty: the build is whole
    // Rule C4, where it was sampled when the index was made; nullopt: sampled when asked for.
    std::optional<std::vector<std::string>> loading_stamps = std::nullopt;
    // Objects larger than so many bytes stand in the index by name alone, as if they were one
    // byte larger; 0: none does.
    std::uint64_t largest = 0;
    // A dump without stamps is among the files: tag paths are shortened.
    bool has_unstamped = false;
    // Sentences for the operator (Source::remarks).
    std::vector<std::string> remarks = {};
};

// One object. `name` is a view into the index.
struct Entry {
    XXH128_hash_t digest{};
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    std::uint64_t line = 0;         // of its header
    std::uint16_t file = 0;         // in Facts::files
    std::uint16_t class_index = 0;  // in Facts::classes
    std::string_view name;
};

// Bytes of a file, mapped read-only.
class Mapping {
   public:
    Mapping() = default;
    ~Mapping();
    Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
    Mapping& operator=(Mapping&& other) noexcept {
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    //   error  unavailable
    [[nodiscard]] static base::Result<Mapping> of(const File& file, std::uint64_t size);
    [[nodiscard]] std::string_view bytes() const { return bytes_; }
    // Gives memory back; what is read again comes from the page cache. A program that looked at
    // the whole of a large index once must not seem to hold it.
    void forget() const { forget(bytes_); }
    void forget(std::string_view part) const;  // needs: part of bytes()

   private:
    std::string_view bytes_;
};

class Index {
   public:
    // Checks the whole file: 20 GB/s warm.
    //   error  absent; malformed (damaged, another format or machine); unavailable
    [[nodiscard]] static base::Result<Index> open(const std::string& path);

    // The facts alone, without a look at the rest.
    //   error  as open
    [[nodiscard]] static base::Result<Facts> read_facts(const std::string& path);

    [[nodiscard]] const Facts& facts() const { return facts_; }
    [[nodiscard]] std::size_t size() const { return lookups_; }

    // As Source::find asks: exact, else the only one without regard to ASCII case.
    [[nodiscard]] std::optional<Entry> find(const tree::ObjectName& asked) const;
    // Of exactly this spelling.
    [[nodiscard]] std::optional<Entry> find_exact(const tree::ObjectName& name) const;

    // The i-th entry in the order of the hashes, which is as good as shuffled.
    //   needs  i < size()
    [[nodiscard]] std::optional<Entry> entry(std::size_t i) const;

    // In the order of the dump files, from one of places() up to another; `visit` returns false
    // to stop. Gives back the memory of what was walked.
    void each(std::uint64_t from, std::uint64_t to,
              const std::function<bool(const Entry&)>& visit) const;

    // Where each run of `objects` records begins, and the end of the last.
    //   needs  objects > 0
    [[nodiscard]] std::vector<std::uint64_t> places(std::uint64_t objects) const;

    // The same for indexes with equal records.
    [[nodiscard]] const std::string& order() const { return order_; }

    [[nodiscard]] tree::ObjectName name_of(const Entry& entry) const;

   private:
    [[nodiscard]] bool is_sound(const Entry& entry) const;
    [[nodiscard]] std::size_t first_of(std::uint64_t hash) const;
    struct Found {
        Entry entry;
        std::uint64_t at;  // of its record
    };
    [[nodiscard]] std::vector<Found> find_folded(const tree::ObjectName& asked) const;

    Mapping file_;
    Facts facts_;
    std::uint64_t number_ = 0;  // of this index in the process
    std::string order_;
    std::string_view records_;
    const char* lookup_ = nullptr;
    std::size_t lookups_ = 0;
};

// Writes an index under a name of its own, and gives it its place when it is whole: two
// processes may write one index at once, the last one stands.
class IndexWriter {
   public:
    //   error  unavailable
    [[nodiscard]] static base::Result<IndexWriter> create(const std::string& path);

    // An object, with entry.class_index left out.
    //   needs  entries of a file come in the order of offsets (and best, files in theirs)
    //   error  unavailable (a full disk); refused above 65,535 classes
    [[nodiscard]] base::Result<bool> add(Entry entry, const std::string& class_name);

    // Two records of one class and name.
    struct Twins {
        std::string name;
        Entry first, second;  // their own names are gone with the records
    };

    // Sorts, writes the rest, syncs and renames. `facts` without classes; its digest as given
    // stands in front of the one made here.
    //   returns  nothing, or twins: then the index is not put in place
    [[nodiscard]] base::Result<std::optional<Twins>> finish(Facts facts);

   private:
    struct Lookup {
        std::uint64_t hash;
        std::uint64_t record;
    };
    explicit IndexWriter(NewFile file);
    [[nodiscard]] base::Result<bool> append(std::string_view bytes);
    [[nodiscard]] base::Result<bool> flush();
    [[nodiscard]] std::optional<Twins> sort_lookups(std::string_view records);
    [[nodiscard]] std::string build_digest(std::string_view records) const;
    [[nodiscard]] base::Result<std::optional<Twins>> complete(Facts& facts);
    [[nodiscard]] base::Result<bool> write_header(std::string_view facts);

    NewFile file_;
    std::string pending_;  // bytes not yet written
    std::uint64_t records_size_ = 0;
    std::vector<Lookup> lookups_;
    std::vector<ClassCount> classes_;
    std::unordered_map<std::string, std::size_t> class_indexes_;  // in classes_
    std::size_t last_class_ = 0;
    std::string folded_;
};

}  // namespace source
