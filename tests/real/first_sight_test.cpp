// Rule C4 on WormBase's own curation of 1999 to 2006: the history reconstructed at first sight
// equals that of an independent parser of the same lines.
// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "history/context.hpp"
#include "query/object_history.hpp"
#include "source/files_build.hpp"
#include "store/store.hpp"
#include "support/catch.hpp"
#include "support/recording.hpp"
#include "support/temp_dir.hpp"
#include "support/trees.hpp"

using tree::ObjectName;

namespace {

std::filesystem::path real_data() {
    const char* folder = std::getenv("VARVE_REAL_DATA");
    return folder != nullptr ? folder : "../shared/data/real";
}

base::Release release(const char* version, const char* day) {
    return {version, *base::parse_date(day)};
}
const std::vector<base::Release> releases = {
    release("R2003", "2003-12-31"), release("R2004a", "2004-06-30"),
    release("R2004b", "2004-12-31"), release("R2005", "2005-12-31"),
    release("R2006", "2006-03-10")};
const std::string since = "2003-01-01";

// This user's stamps of one day are in 1,804 of the 2,113 objects, in 1,675 of them the same one:
// they belong to loading and are no evidence.
bool is_of_loading(const std::string& stamp) {
    return stamp.starts_with("2006-03-03_") && stamp.ends_with("_NBP_allele__update");
}

using Path = std::vector<std::string>;
struct Seen {
    bool value = false;
    std::string stamp;
};
using Lines = std::map<Path, Seen>;  // every node of an object

// Reads `"a text" -O "stamp"` and `Tag⇥ -O "stamp"` in turn. This file has no escapes
// except \" and \%, and no comments.
Lines read_lines(const std::vector<std::string>& lines) {
    Lines nodes;
    for (const auto& line : lines) {
        Path path;
        std::size_t at = 0;
        const auto quoted = [&] {
            std::string text;
            for (++at; line.at(at) != '"'; ++at)
                text += line[at] == '\\' ? line.at(++at) : line[at];
            ++at;
            return text;
        };
        while (at < line.size()) {
            at = line.find_first_not_of(" \t", at);
            if (at == std::string::npos) break;
            Seen seen;
            seen.value = line[at] == '"' || line[at] == '-' || std::isdigit(line[at]);
            if (line[at] == '"') {
                path.push_back(quoted());
            } else {
                const auto end = line.find_first_of(" \t", at);
                path.push_back(line.substr(at, end - at));
                at = end;
            }
            at = std::min(line.find_first_not_of(" \t", at), line.size());
            while (line.compare(at, 4, "-O \"") == 0) {  // the last of several counts
                at += 3;
                seen.stamp = quoted();
                at = std::min(line.find_first_not_of(" \t", at), line.size());
            }
            nodes.emplace(path, seen);
        }
    }
    return nodes;
}

bool is_below(const Path& path, const Path& above) {
    return path.size() > above.size() && std::equal(above.begin(), above.end(), path.begin());
}

// "" means old.
std::string release_of(const std::string& stamp) {
    const auto day = stamp.substr(0, 10);
    if (is_of_loading(stamp) || !base::parse_date(day) || day <= since) return "";
    for (const auto& each : releases)
        if (day <= base::format_date(each.released_on)) return each.version;
    return releases.back().version;
}

std::set<std::string> expected_of(const Lines& nodes) {
    std::set<std::string> expected;
    for (const auto& [path, seen] : nodes) {
        std::vector<std::string> below;  // releases of the values below
        for (const auto& [other, other_seen] : nodes)
            if (other_seen.value && is_below(other, path))
                below.push_back(release_of(other_seen.stamp));
        const auto when = seen.value || below.empty()
                              ? release_of(seen.stamp)
                              : *std::min_element(below.begin(), below.end());
        if (!when.empty()) expected.insert(when + ": " + base::join(path, " > "));
    }
    return expected;
}

std::map<std::string, Lines> read_objects() {
    std::ifstream in(real_data() / "variation-2006.ace");
    if (!in) FAIL("no variation-2006.ace in " << real_data());
    std::map<std::string, Lines> objects;
    std::string name;
    std::vector<std::string> lines;
    const auto finish = [&] {
        if (!name.empty()) objects[name] = read_lines(lines);
        name.clear(), lines.clear();
    };
    for (std::string line; std::getline(in, line);) {
        if (line.empty())
            finish();
        else if (name.empty())
            name = line.substr(13, line.find("\" -O") - 13);
        else
            lines.push_back(line);
    }
    finish();
    return objects;
}

std::set<std::string> recorded_of(const std::vector<tables::Row>& rows) {
    std::set<std::string> recorded;
    for (const auto& row : rows)
        for (const auto& change : row.notes.changes) {
            Path path;
            for (const auto& cell : change.path) path.push_back(cell.text);
            for (const auto& node : support::unfolded(change.after, path))
                recorded.insert(row.release.version + ": " + base::join(node, " > "));
        }
    return recorded;
}

}  // namespace

TEST_CASE("First sight of real curation gives each release what its timestamps say") {
    const support::TempDir folder;
    folder.write("build/release.ini", "version = R2006\ndate = 2006-03-10\n");
    std::filesystem::copy_file(real_data() / "variation-2006.ace",
                               folder.path() / "build/variation.ace");
    source::FilesSettings dump;
    dump.folder = (folder.path() / "build").string();
    dump.index_dir = (folder.path() / "index").string();
    const auto build = source::open_files(dump);
    if (!build) FAIL(build.error().text);

    store::Url url;
    url.path = folder.path() / "history.db";
    store::Pool pool(store::connector(url, "", store::IfMissing::create), 2);
    REQUIRE(store::initialise(*pool.lease()));
    history::Settings settings;
    settings.first_seen_since = *base::parse_date(since);
    settings.known_releases = releases;
    const base::Clock clock = [] { return base::Seconds{}; };
    history::BuildDifference difference;
    history::LabelCache labels;

    const auto objects = read_objects();
    CHECK(objects.size() == 2113);
    std::size_t with_rows = 0;
    for (const auto& [name, nodes] : objects) {
        const ObjectName object{"Variation", name};
        const auto done = support::record({pool, settings, clock, difference, labels}, **build,
                                          nullptr, object);
        if (!done) FAIL(done.error().text);
        const auto rows = store::perform(pool, store::Access::read, [&](auto& transaction) {
            return query::load_rows(
                transaction, std::span(&done->row.value(), 1), releases.back(), {},
                history::known_releases(transaction, settings, nullptr, nullptr));
        });
        REQUIRE(rows);
        with_rows += rows->rows.empty() ? 0 : 1;
        INFO(name);
        CHECK(recorded_of(rows->rows) == expected_of(nodes));
    }
    CHECK(with_rows > 100);
}
