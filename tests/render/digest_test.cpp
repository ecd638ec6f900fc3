// SPDX-License-Identifier: MIT
#include "render/digest.hpp"

#include "base/utf8.hpp"
#include "render/mail.hpp"
#include "sample.hpp"
#include "sample_pages.hpp"

using namespace sample;

namespace {

render::Digest digest_of(const query::HistoryPage& page, std::size_t objects,
                         const render::Site& look = site()) {
    render::Digest digest;
    digest.id = "tag:wormbase.org,2007:/list/1f";
    digest.page_url = "https://changes.example.org/?object=Gene:WBGene00006763";
    digest.since = "WS180";
    digest.objects = objects;
    std::set<tree::ObjectName> counted;
    for (const auto& row : page.rows) {
        digest.releases.insert(row.release);
        if (counted.insert(row.object).second) {
            ++digest.outcomes[render::outcome_of(row.kind)];
            digest.counted_releases.insert(row.release);
        }
        digest.items.push_back(render::digest_item_of(row, page, look));
    }
    std::ranges::sort(digest.items, render::comes_first);
    return digest;
}

std::string mail_of_digest(const render::Digest& digest, const render::Site& look = site()) {
    return render::bytes_of({now(),
                             {"Changes in WormBase", "changes@wormbase.org"},
                             {{"Zoë", "zoe@example.org"}},
                             render::subject_of(digest),
                             render::message_id_of(digest, look),
                             render::html_of(digest, look, templates())});
}

Row of_object(const std::string& name, const std::string& label, const std::string& headline,
              const std::string& version = "WS188") {
    auto r = row(version, version == "WS188" ? day(2008, 3, 22) : day(2008, 2, 15),
                 {added(tags({"A"}), support::text("x"))});
    r.object.name = name;
    r.label = label;
    r.headline.title = headline;
    return r;
}

query::HistoryPage page_of_rows(std::vector<Row> rows,
                                std::vector<tables::MassChange> mass_changes = {}) {
    query::HistoryPage page;
    for (auto& row : rows) page.rows.push_back(sample::told(std::move(row), mass_changes));
    page.mass_changes = std::move(mass_changes);
    return page;
}

}  // namespace

TEST_CASE("A digest equals the golden mail") {
    auto history = gene();
    history.people = people();
    history.rows.push_back(of_object("WBGene00000001", "dpy-13", "Status Live → Dead", "WS187"));
    check_golden("digest.eml", mail_of_digest(digest_of(history, 12)));
}

TEST_CASE("A digest of hostile labels equals the golden mail") {
    auto history = gene();
    for (auto& r : history.rows) {
        r.label = "<script>alert(1)</script>\r\nBcc: x@example.org \xE2\x80\xAE"
                  "evil\x01 " +
                  std::string(1200, 'x');
        r.notes.changes.push_back(
            added(tags({"</p>", "\xD7\x90\xD7\x91 \xE2\x80\xAE"}),
                  support::text("From \xE2\x80\xAE \r\n.\r\n\x1B[31m</html>" +
                                std::string(3000, 'y'))));
    }
    const auto mail = mail_of_digest(digest_of(history, 1));
    CHECK_FALSE(holds(mail.substr(0, mail.find("\n\n")), "\nBcc:"));
    check_golden("hostile.eml", mail);
}

TEST_CASE("The subject counts objects by what became of them and names those that lead") {
    auto vanished = of_object("WBGene00000002", "abc-1", "");
    vanished.kind = RowKind::vanished;
    const auto page =
        page_of_rows({of_object("WBGene00000001", "unc-26", "Status Live → Dead"), vanished,
                      of_object("WBGene00000001", "unc-26", "Remark added", "WS187")});
    auto digest = digest_of(page, 12);
    CHECK(render::subject_of(digest) == "1 of 12 objects changed, 1 vanished in WS188: "
                                        "unc-26 Status Live → Dead; abc-1 vanished");
    digest.class_name = "Gene";
    digest.objects = 0;
    digest.counts_all = false;
    digest.left_out = 7;
    CHECK(render::subject_of(digest).starts_with(
        "More than 1 object of class Gene changed, 1 vanished in WS188: unc-26"));
    CHECK(render::subject_of(digest).ends_with("; …"));
}

TEST_CASE("The subject of one change of one object is the title of its item") {
    const auto page = page_of_rows({of_object("WBGene00000001", "unc-26", "Status Live → Dead")});
    CHECK(render::subject_of(digest_of(page, 1)) == "unc-26 in WS188: Status Live → Dead");
    CHECK(render::subject_of(digest_of(page, 2)) ==
          "1 of 2 objects changed in WS188: unc-26 Status Live → Dead");
}

TEST_CASE("A subject has at most 250 bytes of whole characters") {
    std::vector<Row> rows;
    for (int i = 0; i < 100; ++i)
        rows.push_back(
            of_object("g" + std::to_string(i), std::string(i == 0 ? 900 : 40, 'x'), "é→"));
    const auto subject = render::subject_of(digest_of(page_of_rows(rows), 100));
    CHECK(subject.size() <= 250);
    CHECK(base::is_legal_text(subject));
    CHECK(subject.ends_with("…"));
    rows.erase(rows.begin());
    CHECK(render::subject_of(digest_of(page_of_rows(rows), 100)).ends_with("é→; …"));
}

TEST_CASE("What changed as most objects of its class did comes last, by its title alone") {
    const auto shared = of_object("WBGene00000001", "aaa-1", "");
    auto own = of_object("WBGene00000002", "zzz-1", "");
    own.notes.changes = {added(tags({"B"}), support::text("y"))};
    const tables::MassChange mass{"WS188", "Gene", "A", 90, 100};
    const auto both = digest_of(page_of_rows({shared, own}, {mass}), 100);
    REQUIRE(both.items.size() == 2);
    CHECK(both.items.back().only_follows);
    CHECK(render::subject_of(both) == "2 of 100 objects changed in WS188: zzz-1 B y added");
    const auto html = render::html_of(both, site(), templates());
    CHECK(holds(html, "<h2 style=\"font-size:1.2em\">Changed only because others did</h2>"));
    CHECK(holds(html, both.items.front().title));
    CHECK(holds(html, "A x added, as in most genes"));
    CHECK(render::subject_of(digest_of(page_of_rows({shared}, {mass}), 100)) ==
          "1 of 100 objects changed in WS188 (only because others changed)");
}

TEST_CASE("A digest of 10,000 changes is cut, counts what it leaves out and links to it") {
    std::vector<Change> changes;
    for (int i = 0; i < 10'000; ++i)
        changes.push_back(added(tags({"A"}), support::text("value " + std::to_string(i))));
    auto huge = of_object("huge", "huge", "10,000 values added");
    huge.notes.changes = changes;
    std::vector<Row> rows{huge};
    for (int i = 0; i < 299; ++i) {
        auto r = of_object("g" + std::to_string(i), "", "A x added");
        r.notes.changes = {added(tags({"A"}), support::text(std::string(400, 'x')))};
        rows.push_back(std::move(r));
    }
    auto digest = digest_of(page_of_rows(rows), 10'000);
    digest.left_out = 9'700;
    const auto html = render::html_of(digest, site(), templates());
    CHECK(html.size() < 100'000);
    const auto whole = count(html, "<h3 "), titles = count(html, "&amp;at=WS188\">") - whole;
    CHECK(whole > 20);
    CHECK(titles == 100);
    CHECK(holds(html, "<p>" + std::to_string((9'700 + 300 - whole - titles) / 1000) + ","));
    CHECK(holds(html, " more items are not in this mail."));
    CHECK(holds(html,
                "<a href=\"https://changes.example.org/release/WS188\">Changes in WS188</a>"));
    const auto mail = mail_of_digest(digest);
    CHECK(mail.size() < 250'000);
}

TEST_CASE("A digest says which objects it may have read too early") {
    auto digest = digest_of(page_of_rows({of_object("g", "", "A added")}), 2);
    CHECK_FALSE(holds(render::html_of(digest, site(), templates()), "could not be read"));
    digest.is_incomplete = true;
    CHECK(
        holds(render::html_of(digest, site(), templates()), "<b>Some objects could not be read"));
}

TEST_CASE("The Message-ID depends on list, start and newest release, and ends with a domain") {
    auto digest = digest_of(page_of_rows({of_object("g", "", "A added")}), 2);
    const auto id = render::message_id_of(digest, site());
    CHECK(id.ends_with("@wormbase.org"));
    digest.objects = 3;
    digest.items.front().title = "another";
    CHECK(render::message_id_of(digest, site()) == id);
    auto look = site();
    for (const auto& [authority, end] : {std::pair{"x@y.org,2007", "@y.org"},
                                         {"a..b.,2007", "@a.b"},
                                         {"@,2007", "@varve.invalid"}}) {
        look.authority = authority;
        CHECK(render::message_id_of(digest, look).ends_with(end));
    }
    for (auto* part : {&digest.id, &digest.since}) {
        *part += "x";
        CHECK(render::message_id_of(digest, site()) != id);
        part->pop_back();
    }
    digest.releases.insert({"WS189", day(2009, 1, 1)});
    CHECK(render::message_id_of(digest, site()) != id);
}
