// Rule C4 on WormBase's own curation of 1999 to 2006: the history reconstructed at first sight
// is what the timestamps of the objects say.
// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>

#include "history/context.hpp"
#include "query/reads.hpp"
#include "source/files_build.hpp"
#include "store/store.hpp"
#include "support/catch.hpp"
#include "support/recording.hpp"
#include "support/small_build.hpp"
#include "support/temp_dir.hpp"
#include "support/trees.hpp"

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

// "" means old.
std::string release_of(const std::string& stamp) {
    const auto day = stamp.substr(0, 10);
    if (is_of_loading(stamp) || !base::parse_date(day) || day <= since) return "";
    for (const auto& each : releases)
        if (day <= base::format_date(each.released_on)) return each.version;
    return releases.back().version;
}

// Returns the earliest release of a value below, if there is one.
std::optional<std::string> earliest_below(const std::vector<tree::Node>& nodes) {
    std::optional<std::string> earliest;
    for (const auto& node : nodes) {
        auto found = earliest_below(node.children);
        if (tree::is_value(node.cell.kind)) {
            const auto own = release_of(node.stamp);
            found = found ? std::min(*found, own) : own;
        }
        if (found) earliest = earliest ? std::min(*earliest, *found) : *found;
    }
    return earliest;
}

void add_expected(const std::vector<tree::Node>& nodes, Path& path,
                  std::set<std::string>& expected) {
    for (const auto& node : nodes) {
        path.push_back(node.cell.text);
        const auto below = earliest_below(node.children);
        const auto when =
            tree::is_value(node.cell.kind) || !below ? release_of(node.stamp) : *below;
        if (!when.empty()) expected.insert(when + ": " + base::join(path, " > "));
        add_expected(node.children, path, expected);
        path.pop_back();
    }
}

std::set<std::string> expected_of(const std::vector<tree::Node>& nodes) {
    std::set<std::string> expected;
    Path path;
    add_expected(nodes, path, expected);
    return expected;
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
    history::LabelCache labels;

    query::Reads reads(pool, settings);
    const auto objects = support::names_in(**build);
    CHECK(objects.size() == 2113);
    std::size_t with_rows = 0;
    for (const auto& object : objects) {
        const auto done =
            support::record({pool, settings, clock, labels}, **build, nullptr, object);
        if (!done) FAIL(done.error().text);
        const auto rows = reads.rows(object, releases.back());
        with_rows += rows.empty() ? 0 : 1;
        INFO(object.name);
        CHECK(recorded_of(rows) == expected_of((*build)->load(object).value().nodes));
    }
    CHECK(with_rows > 100);
}
