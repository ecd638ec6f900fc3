// SPDX-License-Identifier: MIT
#include "source/dump/indexing.hpp"

#include "base/log.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "source/ace_text.hpp"
#include "source/import/xml_objects.hpp"

namespace source::dump {
namespace {

using base::Kind;

// Only the header of a dumped object is looked at, and it stands at the start.
constexpr std::size_t most_of_dumped = 1 << 20;
// A line of JSON is parsed as a whole to find its name; above this, only its start.
constexpr std::size_t most_of_line = 8 << 20;

}  // namespace

base::Result<void> BuildObjects::read_dump(const File& file, std::uint16_t number) {
    const auto name = place(number);
    AceReader reader(file, name, most_of_dumped, Digests::yes);
    for (;;) {
        const auto object = reader.next();
        if (!object) return judge(object.error());
        if (!*object) return {};
        if (auto done = add(**object, number); !done) return done;
    }
}

base::Result<void> BuildObjects::read_json_lines(const File& file, std::uint16_t number) {
    const auto name = place(number);
    JsonLinesReader reader(file, name, most_of_line);
    for (;;) {
        const auto line = reader.next();
        if (!line) return judge(line.error());
        if (!*line) return {};
        if (auto done = add(**line, number); !done) return done;
    }
}

base::Result<void> BuildObjects::read_xml(const File& file, std::uint16_t number,
                                          import::JsonLinesWriter& lines) {
    import::XmlReader reader(file, place(number), largest_);
    for (;;) {
        const auto object = reader.next();
        if (!object) return judge(object.error());
        if (!*object) return {};
        if (auto done = add(**object, number, lines); !done) return done;
    }
}

// Cut off: what there is can be told, and whether it is served is not ours to say.
base::Result<void> BuildObjects::judge(const base::Error& error) {
    if (error.kind != Kind::refused) return tl::unexpected(error);
    if (flaw_.empty()) flaw_ = error.text;
    return {};
}

base::Result<void> BuildObjects::add(const DumpObject& object, std::uint16_t number) {
    const auto header = read_header(object.bytes);
    if (!header && object.is_whole)
        return base::fail(Kind::malformed, place(number) + ":" + std::to_string(object.line) +
                                               ": " + header.error().what);
    const auto id =
        header ? tree::ObjectName{base::legal_text(header->class_name), text_of(header->name)}
               : tree::ObjectName();
    return enter({object.digest, object.offset, object.length, object.line, number, 0, {}}, id);
}

base::Result<void> BuildObjects::add(const JsonLine& line, std::uint16_t number) {
    return enter({line.digest, line.offset, line.length, line.line, number, 0, {}}, line.id);
}

base::Result<void> BuildObjects::add(const import::FileObject& object, std::uint16_t number,
                                     import::JsonLinesWriter& lines) {
    const auto& id = object.object.id;
    if (!is_tracked(id)) return {};
    Entry entry;
    if (object.is_whole) {
        const auto written = lines.add(object.object);
        if (!written) return tl::unexpected(written.error());
        entry = *written;
    } else {
        has_larger_ = true;
        entry.length = largest_ + 1;
        entry.digest = XXH3_128bits(id.name.data(), id.name.size());
    }
    entry.line = object.line;
    entry.file = number;
    return enter(entry, id);
}

bool BuildObjects::is_tracked(const tree::ObjectName& id) {
    const bool is_named = !id.class_name.empty() && !id.name.empty();
    const bool fits =
        id.class_name.size() <= tree::longest_class && id.name.size() <= tree::longest_name;
    if (!is_named || !fits) ++untracked_;
    return is_named && fits && !base::equal_ignoring_case(id.class_name, "UserSession");
}

base::Result<void> BuildObjects::enter(Entry entry, const tree::ObjectName& id) {
    if (!is_tracked(id)) return {};
    entry.name = id.name;
    if (auto done = writer_.add(entry, id.class_name); !done) return tl::unexpected(done.error());
    return {};
}

base::Result<void> BuildObjects::finish(Facts facts) {
    if (untracked_ > 0)
        base::log::warning(
            "names too long, or too far behind in their line, are not tracked",
            {{"build", folder_.release.version}, {"objects", std::to_string(untracked_)}});
    facts.release = folder_.release;
    facts.folder = folder_.path;
    facts.untracked = untracked_;
    facts.flaw = flaw_;
    facts.largest = has_larger_ ? largest_ : 0;
    const auto twins = writer_.finish(std::move(facts));
    if (!twins) return tl::unexpected(twins.error());
    if (!*twins) return {};
    return base::fail(Kind::malformed, place((*twins)->second) + ": " + (*twins)->name +
                                           " stands at " + place((*twins)->first) + " already");
}

}  // namespace source::dump
