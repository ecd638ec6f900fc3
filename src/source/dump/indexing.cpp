// SPDX-License-Identifier: MIT
#include "source/dump/indexing.hpp"

#include <atomic>
#include <memory>
#include <mutex>

#include "base/in_order.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "source/ace_text.hpp"
#include "source/dump/ace_reader.hpp"
#include "source/dump/json_lines.hpp"

namespace source::dump {
namespace {

using base::ErrorKind;

// The index needs only the header of a dumped object, which is at its start.
constexpr std::size_t most_of_dumped = 1 << 20;
// A line of JSON up to this size is parsed completely to find its name; of a longer one, only the
// start.
constexpr std::size_t most_of_line = 8 << 20;
// Of the lines and headers that cannot be read, how many are logged.
constexpr std::uint64_t most_logged = 20;
// How far a thread reads on behind its part for the end of an object.
constexpr std::uint64_t most_behind_part = 8 << 20;
// Instead of a place in a file that ends too early: nothing more can be read.
constexpr std::uint64_t cut_off = UINT64_MAX;

class Indexing {
   public:
    Indexing(IndexWriter writer, const std::vector<PlainFile>& files, std::uint64_t largest,
             const CutDumps& cut)
        : writer_(std::move(writer)), files_(files), largest_(largest), cut_(cut) {}

    base::Result<void> read_all() {
        for (; number_ < files_.size(); ++number_) {
            objects_ = faults_ = 0;
            auto done = read(files_[number_]);
            if (done) done = check_faults();
            if (!done) return done;
        }
        return {};
    }

    base::Result<void> finish(Facts facts) {
        facts.untracked = untracked_;
        facts.flaw = flaw_;
        if (unknown_ > 0)
            facts.unknown_objects = std::to_string(unknown_) + ", the first at " + first_unknown_;
        facts.largest = has_larger_ ? largest_ : 0;
        const auto duplicate = writer_.finish(std::move(facts));
        if (!duplicate) return tl::unexpected(duplicate.error());
        if (!*duplicate) return {};
        const auto& [name, first, second] = **duplicate;
        return base::fail(ErrorKind::malformed,
                          place(second) + ": " + name + " is already at " + place(first));
    }

   private:
    base::Result<void> read(const PlainFile& file) {
        if (file.original) return read_converted(file, *file.original);
        if (file.is_json) return read_json_lines(file);
        return read_dump(file);
    }

    // Threads read parts of the dump as if an object began at each cut. A part counts if that turns
    // out to be true: if the part before it ends there. Otherwise, and where a part is damaged or sees
    // the end of the file, it is read again, knowing what precedes it. An object that ends late, or not
    // at all, may be read from each cut in it: not far from each, and not at all once the end is known.
    base::Result<void> read_dump(const PlainFile& file) {
        const auto cuts = cuts_of(file);
        ReaderPool readers(file);
        AceReader reader(file.file, file.place, most_of_dumped);
        AcePlace place;
        std::atomic<std::uint64_t> taken = 0;  // place.offset, for the threads
        base::Result<void> done;
        base::make_in_order(
            cut_.threads, cuts.size() - 1,
            [&](std::size_t i) {
                return cuts[i] < taken ? std::nullopt : read_part(readers, cuts[i], cuts[i + 1]);
            },
            [&](std::size_t i, std::optional<DumpPart> part) {
                if (place.offset == cuts[i] && part)
                    done = add(std::move(*part), place);
                else if (place.offset < cuts[i + 1])
                    done = read_from(reader, place, cuts[i + 1]);
                taken = place.offset;
                return done.has_value() && place.offset != cut_off;
            });
        if (done && place.offset != cut_off) done = read_from(reader, place, UINT64_MAX);
        return done;
    }

    // What follows the last cut is read by one thread.
    [[nodiscard]] std::vector<std::uint64_t> cuts_of(const PlainFile& file) const {
        if (cut_.threads < 2) return {0};
        const auto identity = identity_of(file.file);
        return identity ? likely_cuts(file.file, identity->size, cut_.part)
                        : std::vector<std::uint64_t>{0};
    }

    // Goes on at the place, and moves it.
    base::Result<void> read_from(AceReader& reader, AcePlace& place, std::uint64_t end) {
        reader.go_to(place, end);
        for (;;) {
            const auto object = reader.next();
            place = reader.place();
            if (!object) {
                place.offset = cut_off;
                return note_flaw(object.error());
            }
            if (!*object) return {};
            const auto found = found_in(**object);
            if (!found)
                note_fault(
                    behind((*object)->bytes.substr(0, found.error().at), {(*object)->line, 1}),
                    found.error().what + std::string(load_and_dump), true);
            else if (auto done = add(found->entry, found->id); !done)
                return done;
        }
    }

    // Readers that threads use in turn, since each holds a block.
    class ReaderPool {
       public:
        explicit ReaderPool(const PlainFile& file) : file_(file) {}
        std::unique_ptr<AceReader> take() {
            const std::lock_guard lock(mutex_);
            if (idle_.empty())
                return std::make_unique<AceReader>(file_.file, file_.place, most_of_dumped);
            auto reader = std::move(idle_.back());
            idle_.pop_back();
            return reader;
        }
        void give_back(std::unique_ptr<AceReader> reader) {
            const std::lock_guard lock(mutex_);
            idle_.push_back(std::move(reader));
        }

       private:
        const PlainFile& file_;
        std::mutex mutex_;
        std::vector<std::unique_ptr<AceReader>> idle_;
    };

    struct DumpPart {
        IndexPart records;
        std::uint64_t objects = 0, untracked = 0;
        AcePlace end;  // as if the part were the whole file
    };
    // Safe from any thread.
    //   returns  nullopt: it must be read again
    [[nodiscard]] std::optional<DumpPart> read_part(ReaderPool& readers, std::uint64_t from,
                                                    std::uint64_t to) const {
        auto reader = readers.take();
        reader->go_to({from, 1, false, false, false}, to, to + most_behind_part);
        DumpPart part;
        for (;;) {
            const auto object = reader->next();
            if (!object || reader->has_seen_end()) return std::nullopt;
            if (!*object) break;
            auto found = found_in(**object);
            if (!found) return std::nullopt;
            auto& [entry, id] = *found;
            ++part.objects;
            if (!is_listed(id, part.untracked)) continue;
            entry.name = id.name;
            if (!part.records.add(entry, id.class_name)) return std::nullopt;
        }
        part.end = reader->place();
        readers.give_back(std::move(reader));
        // Without an object, what precedes would say whether the trailer was the last.
        return part.end.has_objects ? std::optional(std::move(part)) : std::nullopt;
    }

    base::Result<void> add(DumpPart part, AcePlace& place) {
        const auto lines = place.line - 1;
        objects_ += part.objects;
        untracked_ += part.untracked;
        part.end.line += lines;
        part.end.has_banners = part.end.has_banners || place.has_banners;
        place = part.end;
        return writer_.append(part.records, lines);
    }

    base::Result<void> read_json_lines(const PlainFile& file) {
        JsonLinesReader reader(file.file, file.place, most_of_line);
        for (;;) {
            const auto line = reader.next();
            if (!line) return note_flaw(line.error());
            if (!*line) return {};
            const auto& found = **line;
            const bool is_named = !found.id.name.empty();
            if (found.fault)
                note_fault({found.line, found.fault->at + 1}, found.fault->what,
                           !found.is_one || !is_named);
            if (!is_named) continue;
            if (auto done = add(found, found.line); !done) return done;
        }
    }

    base::Result<void> read_converted(const PlainFile& file, const Original& original) {
        JsonLinesReader reader(file.file, file.place, most_of_line);
        for (const auto original_line : original.lines) {
            const auto line = reader.next();
            if (!line) return tl::unexpected(line.error());
            if (!*line)
                return base::fail(ErrorKind::unavailable,
                                  file.place + ": its plain file was changed");
            if (auto done = add(**line, original_line); !done) return done;
        }
        has_larger_ = has_larger_ || original.has_larger;
        if (flaw_.empty()) flaw_ = original.flaw;
        return {};
    }

    // A file that is cut off is indexed as far as it goes. Others decide whether it is served.
    base::Result<void> note_flaw(const base::Error& error) {
        if (error.kind != ErrorKind::refused) return tl::unexpected(error);
        if (flaw_.empty()) flaw_ = error.text;
        return {};
    }

    // An object that cannot be read costs that object alone.
    //   is_unknown  whether it may be any object, or hold others
    void note_fault(Position at, const std::string& what, bool is_unknown) {
        const auto place =
            fail_in(files_[number_].place, at, ErrorKind::malformed, what).value().text;
        if (faults_++ == 0) first_fault_ = place;
        if (is_unknown && unknown_++ == 0) first_unknown_ = place;
        if (all_faults_++ < most_logged)
            base::log::warning("an object of the build cannot be read", {{"reason", place}});
    }

    // A file of another kind is no build, and neither is one in which one of ten is lost.
    [[nodiscard]] base::Result<void> check_faults() const {
        const auto all = objects_ + faults_;
        if (faults_ * 10 <= all || (faults_ == 1 && objects_ > 0)) return {};
        return base::fail(ErrorKind::malformed, first_fault_ +
                                                    " (such objects: " + std::to_string(faults_) +
                                                    " of " + std::to_string(all) + ")");
    }

    struct Found {
        Entry entry;
        tree::ObjectName id;
    };
    // Returns the entry without a name, and the name. Safe from any thread.
    [[nodiscard]] tl::expected<Found, ParseError> found_in(const AceObject& object) const {
        const auto header = read_header(object.bytes);
        if (!header && object.is_whole) return tl::unexpected(header.error());
        Found found{{object.digest,
                     object.offset,
                     object.length,
                     object.line,
                     static_cast<std::uint16_t>(number_),
                     0,
                     {}},
                    {}};
        if (header) found.id = {base::legal_text(header->class_name), text_of(header->name)};
        return found;
    }

    // Counts an object that cannot be tracked.
    static bool is_listed(const tree::ObjectName& id, std::uint64_t& untracked) {
        const bool can_be_tracked = tree::can_be_tracked(id.class_name, id.name);
        if (!can_be_tracked) ++untracked;
        return can_be_tracked && !base::equal_ignoring_case(id.class_name, "UserSession");
    }

    base::Result<void> add(const JsonLine& line, std::uint64_t original_line) {
        return add({line.digest, line.offset, line.length, original_line, 0, 0, {}}, line.id);
    }

    base::Result<void> add(Entry entry, const tree::ObjectName& id) {
        ++objects_;
        if (!is_listed(id, untracked_)) return {};
        entry.file = static_cast<std::uint16_t>(number_);
        entry.name = id.name;
        return writer_.add(entry, id.class_name);
    }

    [[nodiscard]] std::string place(const Entry& entry) const {
        return files_[entry.file].place + ":" + std::to_string(entry.line);
    }

    IndexWriter writer_;
    const std::vector<PlainFile>& files_;
    std::uint64_t largest_;
    const CutDumps& cut_;
    std::size_t number_ = 0;  // of the file that is read
    bool has_larger_ = false;
    std::uint64_t untracked_ = 0;
    std::string flaw_;
    // Of the file that is read: objects, and how many besides them cannot be read.
    std::uint64_t objects_ = 0, faults_ = 0;
    std::string first_fault_;
    std::uint64_t all_faults_ = 0;  // of all files
    std::uint64_t unknown_ = 0;     // of these, those that may be any object
    std::string first_unknown_;
};

}  // namespace

base::Result<void> write_index(IndexWriter writer, const std::vector<PlainFile>& files,
                               Facts facts, std::uint64_t largest, const CutDumps& cut,
                               const std::function<base::Result<void>()>& check) {
    Indexing indexing(std::move(writer), files, largest, cut);
    if (auto done = indexing.read_all(); !done) return done;
    if (auto done = check(); !done) return done;
    return indexing.finish(std::move(facts));
}

}  // namespace source::dump
