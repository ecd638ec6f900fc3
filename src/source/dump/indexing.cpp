// SPDX-License-Identifier: MIT
#include "source/dump/indexing.hpp"

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

class Indexing {
   public:
    Indexing(IndexWriter writer, const std::vector<PlainFile>& files, std::uint64_t largest)
        : writer_(std::move(writer)), files_(files), largest_(largest) {}

    base::Result<void> read_all() {
        for (; number_ < files_.size(); ++number_)
            if (auto done = read(files_[number_]); !done) return done;
        return {};
    }

    base::Result<void> finish(Facts facts) {
        facts.untracked = untracked_;
        facts.flaw = flaw_;
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
        if (file.layout == Layout::json) return read_json_lines(file);
        return read_dump(file);
    }

    base::Result<void> read_dump(const PlainFile& file) {
        AceReader reader(file.file, file.place, most_of_dumped);
        for (;;) {
            const auto object = reader.next();
            if (!object) return note_flaw(object.error());
            if (!*object) return {};
            if (auto done = add(**object); !done) return done;
        }
    }

    base::Result<void> read_json_lines(const PlainFile& file) {
        JsonLinesReader reader(file.file, file.place, most_of_line);
        for (;;) {
            const auto line = reader.next();
            if (!line) return note_flaw(line.error());
            if (!*line) return {};
            if (auto done = add(**line, (*line)->line); !done) return done;
        }
    }

    base::Result<void> read_converted(const PlainFile& file, const Original& original) {
        JsonLinesReader reader(file.file, file.place, most_of_line);
        auto named = original.named_only.begin();
        for (std::size_t i = 0; i <= original.lines.size(); ++i) {
            for (; named != original.named_only.end() && named->position == i; ++named)
                if (auto done = add(*named); !done) return done;
            if (i == original.lines.size()) break;
            const auto line = reader.next();
            if (!line) return tl::unexpected(line.error());
            if (!*line)
                return base::fail(ErrorKind::unavailable,
                                  file.place + ": its plain file was changed");
            if (auto done = add(**line, original.lines[i]); !done) return done;
        }
        if (flaw_.empty()) flaw_ = original.flaw;
        return {};
    }

    // A file that is cut off is indexed as far as it goes. Others decide whether it is served.
    base::Result<void> note_flaw(const base::Error& error) {
        if (error.kind != ErrorKind::refused) return tl::unexpected(error);
        if (flaw_.empty()) flaw_ = error.text;
        return {};
    }

    base::Result<void> add(const AceObject& object) {
        const auto header = read_header(object.bytes);
        if (!header && object.is_whole)
            return base::fail(ErrorKind::malformed, files_[number_].place + ":" +
                                                        std::to_string(object.line) + ": " +
                                                        header.error().what);
        const auto id =
            header ? tree::ObjectName{base::legal_text(header->class_name), text_of(header->name)}
                   : tree::ObjectName();
        return add({object.digest, object.offset, object.length, object.line, 0, 0, {}}, id);
    }

    base::Result<void> add(const JsonLine& line, std::uint64_t original_line) {
        return add({line.digest, line.offset, line.length, original_line, 0, 0, {}}, line.id);
    }

    base::Result<void> add(const NamedOnly& object) {
        has_larger_ = true;
        Entry entry;
        entry.length = largest_ + 1;
        entry.digest = XXH3_128bits(object.id.name.data(), object.id.name.size());
        entry.line = object.line;
        return add(entry, object.id);
    }

    base::Result<void> add(Entry entry, const tree::ObjectName& id) {
        if (!tree::can_be_tracked(id.class_name, id.name)) {
            ++untracked_;
            return {};
        }
        if (base::equal_ignoring_case(id.class_name, "UserSession")) return {};
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
    std::size_t number_ = 0;  // of the file that is read
    bool has_larger_ = false;
    std::uint64_t untracked_ = 0;
    std::string flaw_;
};

}  // namespace

base::Result<void> write_index(IndexWriter writer, const std::vector<PlainFile>& files,
                               Facts facts, std::uint64_t largest,
                               const std::function<base::Result<void>()>& check) {
    Indexing indexing(std::move(writer), files, largest);
    if (auto done = indexing.read_all(); !done) return done;
    if (auto done = check(); !done) return done;
    return indexing.finish(std::move(facts));
}

}  // namespace source::dump
