// Entity tags depend on everything that is shown.
// SPDX-License-Identifier: MIT
#include <functional>
#include <rapidcheck.h>

#include "sample.hpp"
#include "support/catch.hpp"

using namespace sample;

namespace {

struct Document {
    query::History history;
    render::Channel channel;
};
using Step = std::function<void(Document&)>;

Document document() {
    Document made{history_of({unc_26_in_ws187(), row("WS186", day(2008, 2, 1), {})}), {}};
    made.history.mass_changes = {{"WS187", "Gene", "Identity > Version", 30'123, 45'000}};
    made.history.people = {{"sylvia", {{"Person", "WBPerson1983"}, "Sylvia Martinelli"}}};
    made.channel = channel_of(made.history, site());
    return made;
}
std::string entity_tag_parts(const Document& of) {
    return render::entity_tag_parts(of.history, of.channel);
}
bool shows_the_same(const Document& a, const Document& b) {
    for (const auto& format : render::formats())
        if (format.render(a.history, a.channel, site()) !=
            format.render(b.history, b.channel, site()))
            return false;
    return true;
}

Step of_each_row(void (*change)(Row&)) {
    return [change](Document& d) { std::ranges::for_each(d.history.rows, change); };
}
Step of_mass_change(void (*change)(tables::MassChange&)) {
    return [change](Document& d) { std::ranges::for_each(d.history.mass_changes, change); };
}
Step of_each_person(void (*change)(query::Person&)) {
    return [change](Document& d) {
        for (auto& [user, person] : d.history.people) change(person);
    };
}

// Everything that can differ between two documents of one history.
const std::vector<Step> steps = {
    [](Document& d) { d.channel.subject.title += "x"; },
    [](Document& d) { d.channel.subject.description += "x"; },
    [](Document& d) { d.channel.hub_url += "https://changes.example.org/hub"; },
    [](Document& d) { d.channel.subject.page_url += "x"; },
    [](Document& d) { d.channel.subject.id += "x"; },
    [](Document& d) { d.channel.filter_text += "x"; },
    [](Document& d) { d.channel.self_url += "&since=x"; },
    [](Document& d) { d.channel.current_url += "x"; },
    [](Document& d) { d.channel.archive_url += "x"; },
    [](Document& d) { d.channel.before += 50; },
    [](Document& d) { d.history.recorded += 100; },
    [](Document& d) { d.history.numbered_by_recording = !d.history.numbered_by_recording; },
    [](Document& d) {
        d.history.rows.clear();
        d.history.last_modified += std::chrono::days(1);
    },
    [](Document& d) { d.history.rows.resize(d.history.rows.size() / 2); },
    [](Document& d) { std::ranges::reverse(d.history.rows); },
    of_each_row([](Row& r) { r.oid += 1; }),
    of_each_row([](Row& r) { r.object.name += "x"; }),
    of_each_row([](Row& r) { r.object.class_name += "x"; }),
    of_each_row([](Row& r) { r.release.version += "x"; }),
    of_each_row([](Row& r) { r.release.released_on -= std::chrono::days(1); }),
    of_each_row([](Row& r) { r.of_day += 1; }),
    of_each_row([](Row& r) { r.revision += 1; }),
    of_each_row([](Row& r) { r.signature += "x"; }),
    of_each_row([](Row& r) { r.since += "x"; }),
    of_each_row([](Row& r) { r.recorded_at += std::chrono::seconds(1); }),
    of_each_row([](Row& r) { r.kind = RowKind::vanished; }),
    of_each_row([](Row& r) { r.label += "x"; }),
    of_mass_change([](tables::MassChange& m) { m.objects += 1; }),
    of_mass_change([](tables::MassChange& m) { m.of += 1; }),
    of_mass_change([](tables::MassChange& m) { m.place = "Method"; }),
    [](Document& d) { d.history.mass_changes.clear(); },
    of_each_person([](query::Person& p) { p.label += "x"; }),
    of_each_person([](query::Person& p) { p.object.name += "x"; }),
    [](Document& d) { d.history.people.clear(); },
    [](Document& d) { d.history.cut = true; },
    [](Document& d) { d.history.filter.tag = "Identity"; },
    [](Document& d) { d.history.filter.only.push_back(Op::added); },
};

}  // namespace

TEST_CASE("A full page of the archive keeps its identity while the history grows") {
    auto page = document();
    page.channel.before = 50;
    page.history.recorded = 51;
    auto later = page;
    later.history.recorded = 90;
    CHECK(entity_tag_parts(later) == entity_tag_parts(page));
    CHECK(shows_the_same(later, page));
    later.history.recorded = 50;  // no next page yet
    CHECK(entity_tag_parts(later) != entity_tag_parts(page));
    CHECK(!shows_the_same(later, page));
}

TEST_CASE("The identity depends on each part of a document") {
    const auto plain = entity_tag_parts(document());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        auto other = document();
        steps[i](other);
        INFO("step " << i);
        CHECK(entity_tag_parts(other) != plain);
    }
}

TEST_CASE(
    "The other name of an object is part of the identity, and the notes of its row are not") {
    auto with_notes = document(), to = document(), from = document();
    for (auto& row : with_notes.history.rows) row.notes = {};
    to.history.rows.front().renamed_to = from.history.rows.front().renamed_from = {{"Gene", "x"}};
    CHECK(entity_tag_parts(with_notes) == entity_tag_parts(document()));
    for (const auto& other : {to, from})
        CHECK(entity_tag_parts(other) != entity_tag_parts(document()));
}

TEST_CASE("Documents that show different things have different identities") {
    CHECK(rc::check([] {
        const auto some = [] {
            auto made = document();
            const auto chosen =
                *rc::gen::resize(3, rc::gen::container<std::vector<std::size_t>>(
                                        rc::gen::inRange<std::size_t>(0, steps.size())));
            for (const auto i : chosen) steps[i](made);
            return made;
        };
        const auto a = some(), b = some();
        if (entity_tag_parts(a) == entity_tag_parts(b)) RC_ASSERT(shows_the_same(a, b));
    }));
}
