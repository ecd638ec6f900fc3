// An object as of each release, and the release that brought each line.
// SPDX-License-Identifier: MIT
#include "query/tree_at.hpp"

#include <functional>
#include <rapidcheck.h>
#include <set>

#include "process.hpp"
#include "support/catch.hpp"
#include "support/small_site.hpp"
#include "tree/outline.hpp"

using processes::gene;
using query::ObjectAt;
using support::Nodes;
using support::tag;
using support::text;
using tree::ObjectName;
using Kind = ObjectAt::Origin::Kind;

namespace {

// "Remark/one WS2", "Remark/old older": each node with what brought it.
void lines_into(const Nodes& nodes, const ObjectAt& object, const std::string& above,
                std::size_t& place, std::vector<std::string>& into) {
    for (const auto& node : nodes) {
        const auto path = above.empty() ? node.cell.text : above + "/" + node.cell.text;
        const auto& origin = object.origins[object.origin_of[place++]];
        auto line = path + " " + origin.release.version;
        if (origin.kind == Kind::older) line += "older";
        if (origin.kind == Kind::ignored) line += "ignored";
        if (origin.kind == Kind::or_before) line += " or before";
        if (origin.kind == Kind::reconstructed) line += " by timestamp";
        into.push_back(std::move(line));
        lines_into(node.children, object, path, place, into);
    }
}
std::vector<std::string> lines_with_origin(const ObjectAt& object) {
    std::vector<std::string> into;
    std::size_t place = 0;
    lines_into(object.past.tree.nodes, object, "", place, into);
    return into;
}
using OriginLines = std::vector<std::string>;

base::Result<ObjectAt> object_in_release(support::SmallSite& site, const std::string& version,
                                         const ObjectName& name = gene) {
    auto answer = site.service.history_of(name, {.most = 1000, .since = ""});
    REQUIRE(answer);
    return query::object_at(site.service.read_context(), std::move(answer->history), version);
}

std::string version_of(std::size_t number) { return "WS" + std::to_string(number); }
void publish_number(support::SmallSite& site, std::size_t number) {
    if (auto before = site.current.build()) site.keep(std::move(before));
    site.publish(version_of(number), "2008-01-" + std::to_string(10 + number));
}

void strip_stamps(Nodes& nodes) {
    for (auto& node : nodes) {
        node.stamp.clear();
        strip_stamps(node.children);
    }
}

// Changes the notes of a row in the store.
void edit_notes(support::SmallSite& site, const std::string& row_version,
                const std::function<void(tables::Notes&)>& edit) {
    const auto rows =
        site.query("SELECT notes FROM history WHERE version = '" + row_version + "'");
    REQUIRE(rows.size() == 1);
    auto notes = tables::notes_from_json(rows[0].text(0));
    REQUIRE(notes);
    edit(*notes);
    site.execute("UPDATE history SET notes = ? WHERE version = ?",
                 {store::Value{tables::to_json(*notes)}, store::Value{row_version}});
}

}  // namespace

TEST_CASE("The object in each release of a random history is what it was, line by line") {
    constexpr std::size_t releases = 6, objects = 30;
    const auto random_tree = rc::gen::exec([] { return support::random_nodes(4); });
    std::vector<std::vector<Nodes>> trees(objects);
    support::SmallSite site;
    for (std::size_t release = 0; release < releases; ++release) {
        for (std::size_t i = 0; i < objects; ++i) {
            auto nodes = random_tree(rc::Random(release * objects + i), 30).value();
            strip_stamps(nodes);
            // Some stay as they are, and some lines stay for long.
            if (release > 0 && i % 3 == 0) nodes = trees[i].back();
            nodes.push_back(tag("Kept", {text("always")}));
            tree::merge_duplicates(nodes);
            trees[i].push_back(nodes);
            site.set_object({"Gene", "g" + std::to_string(i)}, nodes);
        }
        publish_number(site, release);
    }
    for (std::size_t i = 0; i < objects; ++i)
        for (std::size_t release = 0; release < releases; ++release) {
            const auto object =
                object_in_release(site, version_of(release), {"Gene", "g" + std::to_string(i)});
            REQUIRE(object);
            const auto& nodes = object->past.tree.nodes;
            CHECK(tree::signature_of(nodes) == tree::signature_of(trees[i][release]));
            std::vector<std::set<support::ContentPath>> known;
            for (const auto& each : trees[i]) {
                const auto all = support::content_paths(each);
                known.emplace_back(all.begin(), all.end());
            }
            const auto paths = support::content_paths(nodes);
            REQUIRE(object->origin_of.size() == paths.size());
            for (std::size_t place = 0; place < paths.size(); ++place) {
                auto since = release;
                while (since > 0 && known[since - 1].contains(paths[place])) --since;
                const auto& origin = object->origins[object->origin_of[place]];
                CHECK(origin.kind == (since > 0 ? Kind::row : Kind::older));
                if (since > 0) CHECK(origin.release.version == version_of(since));
            }
        }
}

TEST_CASE("A line that came by its timestamp says so") {
    support::SmallSite site;
    site.set_object(gene,
                    {tag("Remark", {support::stamped(text("old"), "2004-01-01_09:00:00_a"),
                                    support::stamped(text("new"), "2008-01-01_09:00:00_a")})});
    publish_number(site, 1);
    CHECK(lines_with_origin(*object_in_release(site, "")) ==
          OriginLines{"Remark older", "Remark/old older", "Remark/new WS1 by timestamp"});
}

TEST_CASE("An object that came back has its lines from then, and is not there in between") {
    support::SmallSite site;
    site.set_object({"Gene", "other"}, {tag("Live")});
    site.set_object(gene, {tag("Remark", {text("one")})});
    publish_number(site, 1);
    site.remove_object(gene);
    publish_number(site, 2);
    REQUIRE(site.service.history_of(gene, {}));
    site.set_object(gene, {tag("Remark", {text("one")})});
    publish_number(site, 3);
    const auto gone = object_in_release(site, "WS2");
    REQUIRE(gone);
    CHECK_FALSE(gone->there());
    CHECK(gone->history.vanished);
    CHECK(gone->history.rows.front().kind == tables::RowKind::vanished);
    CHECK(lines_with_origin(*object_in_release(site, "WS3")) ==
          OriginLines{"Remark WS3", "Remark/one WS3"});
    CHECK(lines_with_origin(*object_in_release(site, "WS1")) ==
          OriginLines{"Remark older", "Remark/one older"});
}

TEST_CASE("What is ignored is told apart from what is old") {
    history::Settings settings;
    settings.ignored = {{"Gene", {{"Checked"}}}};
    support::SmallSite site(settings);
    site.set_object(gene, {tag("Live")});
    publish_number(site, 1);
    site.set_object(gene, {tag("Live"), tag("Checked", {text("today")})});
    publish_number(site, 2);
    CHECK(lines_with_origin(*object_in_release(site, "WS2")) ==
          OriginLines{"Live older", "Checked ignored", "Checked/today ignored"});
}

TEST_CASE(
    "A row that lacks changes is completed from the trees, or else says how far it reaches") {
    support::SmallSite site;
    site.set_object(gene, {tag("Live")});
    publish_number(site, 1);
    site.set_object(gene, {tag("Live"), tag("One")});
    publish_number(site, 2);
    site.set_object(gene, {tag("Live"), tag("One"), tag("Two")});
    publish_number(site, 3);
    edit_notes(site, "WS2", [](tables::Notes& notes) {
        notes.changes.clear();
        notes.left_out.added = 1;
    });
    CHECK(lines_with_origin(*object_in_release(site, "WS3")) ==
          OriginLines{"Live older", "One WS2", "Two WS3"});
    site.execute("DELETE FROM trees WHERE version = 'WS1'");
    CHECK(lines_with_origin(*object_in_release(site, "WS3")) ==
          OriginLines{"Live WS2 or before", "One WS2 or before", "Two WS3"});
}

TEST_CASE("Behind a row that cannot be read, lines may have come in any release") {
    support::SmallSite site;
    site.set_object(gene, {tag("Live")});
    publish_number(site, 1);
    site.set_object(gene, {tag("Live"), tag("One")});
    publish_number(site, 2);
    site.set_object(gene, {tag("Live"), tag("One"), tag("Two")});
    publish_number(site, 3);
    site.execute("UPDATE history SET notes = '{' WHERE version = 'WS2'");
    CHECK(lines_with_origin(*object_in_release(site, "WS3")) ==
          OriginLines{"Live WS3 or before", "One WS3 or before", "Two WS3"});
}
