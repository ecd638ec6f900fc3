// Properties of every history, however hostile its texts are.
// SPDX-License-Identifier: MIT
#include <rapidcheck.h>

#include "base/text.hpp"
#include "render/display_text.hpp"
#include "render/links.hpp"
#include "sample.hpp"
#include "support/catch.hpp"
#include "support/feed_rules.hpp"
#include "support/html_rules.hpp"

using namespace sample;

namespace {

// Texts of pieces that break careless writers of XML, HTML, URLs and UTF-8.
std::string hostile_text() {
    const auto pieces = *rc::gen::resize(
        8, rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
               "a", " ", "\n", "\r", "\t", std::string(1, '\0'), "\x01", "\x7F", "\xFF", "\xC3",
               "\xC3\xA9", "\xC2\x85", "\xEF\xBF\xBE", "\xEF\xBF\xBD", "\xED\xA0\x80",
               "\xF0\x9F\x98\x80", "\xF0\x9F\xBF\xBE", "\xEF\xB7\x90", "<", ">", "&", "\"", "'",
               "&amp;", "&#x3C;", "]]>", "<![CDATA[", "<!--", "</title>", "</b>", "<script>",
               "javascript:", "http://x.org", "%", "%zz", "{name}", "/", "#", "..",
               "\xE2\x80\xA8", std::string(100, 'g'))));
    std::string text;
    for (const auto& piece : pieces) text += piece;
    return text;
}

tree::Cell hostile_cell() {
    const auto kind =
        *rc::gen::element(tree::CellKind::tag, tree::CellKind::integer, tree::CellKind::real,
                          tree::CellKind::date, tree::CellKind::text, tree::CellKind::reference,
                          tree::CellKind::comment, tree::CellKind::member);
    tree::Cell cell{kind, hostile_text(), {}};
    if (kind == tree::CellKind::reference || kind == tree::CellKind::member)
        cell.class_name = *rc::gen::element<std::string>("Gene", "Paper", "Text", "", "<b>");
    return cell;
}

support::Nodes hostile_nodes(int depth) {
    support::Nodes nodes;
    const auto count = *rc::gen::inRange(0, depth > 0 ? 4 : 1);
    for (int i = 0; i < count; ++i)
        nodes.push_back({hostile_cell(),
                         *rc::gen::element<std::string>("", sylvia) + hostile_text(),
                         hostile_nodes(depth - 1)});
    return nodes;
}

Node hostile_node() {
    Node node{hostile_cell(), sylvia, hostile_nodes(3)};
    return node;
}

Change hostile_change() {
    Cells path;
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) path.push_back(hostile_cell());
    const auto op = *rc::gen::element(Op::added, Op::removed, Op::replaced);
    if (op == Op::added) return added(path, hostile_node());
    if (op == Op::removed) return removed(path, hostile_node());
    return replaced(path, hostile_node(), hostile_node());
}

Row hostile_row(int number) {
    Row r = row("WS" + std::to_string(number), day(2008, 1, 1), {});
    r.object = {*rc::gen::element<std::string>("Gene", "<b>&"), "n" + hostile_text()};
    r.label = hostile_text();
    r.of_day = number;  // all of one day
    r.since = *rc::gen::element<std::string>("", "WS1", "WS2");
    r.kind = *rc::gen::element(RowKind::changed, RowKind::created, RowKind::vanished,
                               RowKind::reappeared, RowKind::reconstructed, RowKind::withdrawn);
    r.revision = *rc::gen::inRange(0, 3);
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) r.notes.changes.push_back(hostile_change());
    if (*rc::gen::arbitrary<bool>()) r.headline.title = hostile_text();
    r.since_on = *rc::gen::element<std::optional<base::Date>>(std::nullopt, day(2008, 1, 1),
                                                              day(2009, 1, 1));
    for (const auto& change : r.notes.changes)
        for (const auto& cell : change.path)
            if (!cell.class_name.empty())
                r.notes.references.push_back(
                    {{cell.class_name, cell.text},
                     hostile_text(),
                     *rc::gen::element(compare::Reference::Fate::stays,
                                       compare::Reference::Fate::created,
                                       compare::Reference::Fate::vanished)});
    std::ranges::sort(r.notes.references, {}, &compare::Reference::object);
    if (*rc::gen::arbitrary<bool>()) r.renamed_from = {{hostile_text(), hostile_text()}};
    return r;
}

query::History hostile_history() {
    std::vector<Row> rows;
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) rows.push_back(hostile_row(i));
    auto history = history_of(rows);
    history.object = {hostile_text(), hostile_text()};
    history.spelling = {hostile_text(), hostile_text()};
    history.label = hostile_text();
    history.vanished = *rc::gen::arbitrary<bool>();
    if (*rc::gen::arbitrary<bool>())
        history.people = {{"sylvia", {{"Person", hostile_text()}, "p" + hostile_text()}}};
    if (*rc::gen::arbitrary<bool>()) history.filter.only = {Op::added};
    return history;
}

}  // namespace

namespace {

// Returns what every format must contain for a history.
std::vector<support::ReadItem> items_of(const query::History& history, const render::Site& look) {
    std::vector<support::ReadItem> items;
    for (const auto& row : history.rows) {  // made newest first
        std::vector<std::string> names;
        for (const auto& curator : render::curators_of(row, history, look))
            names.push_back(render::plain_line(curator.name));
        items.push_back(
            {render::title_of(row), render::page_of_row(row.object, row.release.version, look),
             render::content_of(row, history, look), base::join(names, ", "),
             render::guid_of(row, look.authority), base::format_date(row.release.released_on)});
    }
    return items;
}

render::Site hostile_site() {
    auto look = site();
    look.title = "t" + hostile_text();
    look.object_url =
        *rc::gen::element<std::string>("", "https://x.org/{name}", "{class}:{name}");
    look.hide_curators = *rc::gen::arbitrary<bool>();
    look.successor_of_class = {{"Gene", {{"a"}, {"<", "a"}}}};
    if (*rc::gen::arbitrary<bool>()) look.ranking.important = {{"*", {{"a"}, {"<", "a"}}}};
    if (*rc::gen::arbitrary<bool>()) look.ranking.minor = {{"*", {{"<"}, {"a"}}}};
    return look;
}

}  // namespace

TEST_CASE("Any history gives feeds without findings and with the same items in every format") {
    CHECK(rc::check([] {
        const auto history = hostile_history();
        const auto look = hostile_site();
        const auto channel = channel_of(history, look, hostile_text());
        const auto items = items_of(history, look);
        for (const auto& [name, findings_in, read] : support::feed_formats) {
            const auto& format = *render::format_named(name);
            const auto bytes = format.render(history, channel, look);
            const auto findings = findings_in(bytes, self_url, now());
            if (!findings.empty()) RC_FAIL(std::string(name) + ": " + findings.front());
            const auto feed = read(bytes);
            RC_ASSERT(feed.title ==
                      render::plain_line(channel.subject.title + channel.filter_text));
            RC_ASSERT(feed.description == channel.subject.description);
            RC_ASSERT(feed.items == items);
            RC_ASSERT(bytes == format.render(history, channel, look));
        }
    }));
}

TEST_CASE("Any long text replaced by another is shown as HTML without findings") {
    CHECK(rc::check([] {
        const auto words = [] {
            std::string text(200, 'x');
            for (int i = *rc::gen::inRange(0, 40); i > 0; --i)
                text += *rc::gen::element<std::string>(" ", "\n", "a", "b", "\xC3\xA9", "<",
                                                       "cc ", "\n\n", std::string(90, 'q'));
            return text;
        };
        const auto r = row("WS187", day(2008, 1, 1),
                           {replaced({}, support::text(words()), support::text(words()))});
        const auto findings = support::findings_in_html(sample::content_of(r, site()));
        if (!findings.empty()) RC_FAIL(findings.front());
    }));
}
