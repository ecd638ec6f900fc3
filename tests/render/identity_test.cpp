// What entity tags are made of: nothing that is shown may change without it.
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
std::string identity_of(const Document& of) {
    return render::identity_of(of.history, of.channel);
}
bool shows_the_same(const Document& a, const Document& b) {
    for (const auto& format : render::formats())
        if (format.render(a.history, a.channel, site()) !=
            format.render(b.history, b.channel, site()))
            return false;
    return true;
}

// Everything that can differ between two documents of one history, one way or another.
const std::vector<Step> steps = {
    [](Document& d) { d.channel.subject.title += "x"; },
    [](Document& d) { d.channel.subject.description += "x"; },
    [](Document& d) { d.channel.subject.page_url += "x"; },
    [](Document& d) { d.channel.subject.id += "x"; },
    [](Document& d) { d.channel.narrowing += "x"; },
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
    [](Document& d) {
        if (!d.history.rows.empty()) d.history.rows.pop_back();
    },
    [](Document& d) { std::ranges::reverse(d.history.rows); },
    [](Document& d) {
        for (auto& r : d.history.rows) r.oid += 1;
    },
    [](Document& d) {
        for (auto& r : d.history.rows) r.object.name += "x";
    },
    [](Document& d) {
        for (auto& r : d.history.rows) r.object.class_name += "x";
    },
    [](Document& d) {
        for (auto& r : d.history.rows) r.release.version += "x";
    },
    [](Document& d) {
        for (auto& r : d.history.rows) r.release.released_on -= std::chrono::days(1);
    },
    [](Document& d) {
        for (auto& r : d.history.rows) r.of_day += 1;
    },
    [](Document& d) {
        for (auto& r : d.history.rows) r.revision += 1;
    },
    [](Document& d) {
        for (auto& r : d.history.rows) r.signature += "x";
    },
    [](Document& d) {
        for (auto& r : d.history.rows) r.notes.changes.clear();
    },
    [](Document& d) {
        for (auto& r : d.history.rows) r.since += "x";
    },
    [](Document& d) {
        for (auto& r : d.history.rows) r.recorded_at += std::chrono::seconds(1);
    },
    [](Document& d) {
        for (auto& r : d.history.rows) r.kind = RowKind::vanished;
    },
    [](Document& d) {
        for (auto& r : d.history.rows) r.label += "x";
    },
    [](Document& d) {
        for (auto& r : d.history.rows) r.notes.previous += "x";
    },
    [](Document& d) {
        for (auto& r : d.history.rows) r.notes.renamed_to = {{"Gene", "x"}};
    },
    [](Document& d) {
        for (auto& r : d.history.rows) r.notes.renamed_from = {{"Gene", "x"}};
    },
    [](Document& d) {
        for (auto& m : d.history.mass_changes) m.objects += 1;
    },
    [](Document& d) {
        for (auto& m : d.history.mass_changes) m.of += 1;
    },
    [](Document& d) {
        for (auto& m : d.history.mass_changes) m.place = "Method";
    },
    [](Document& d) { d.history.mass_changes.clear(); },
    [](Document& d) {
        for (auto& [user, person] : d.history.people) person.label += "x";
    },
    [](Document& d) {
        for (auto& [user, person] : d.history.people) person.object.name += "x";
    },
    [](Document& d) { d.history.people.clear(); },
    [](Document& d) { d.history.cut = true; },
    [](Document& d) { d.history.narrowing.tag = "Identity"; },
    [](Document& d) { d.history.narrowing.only.push_back(Op::added); },
};

}  // namespace

TEST_CASE("equal documents have equal identities") {
    CHECK(identity_of(document()) == identity_of(document()));
}

TEST_CASE("a full page of the archive keeps its identity while history goes on") {
    auto page = document();
    page.channel.before = 50;
    page.history.recorded = 51;
    auto later = page;
    later.history.recorded = 90;
    CHECK(identity_of(later) == identity_of(page));
    CHECK(shows_the_same(later, page));
    later.history.recorded = 50;  // no next page yet
    CHECK(identity_of(later) != identity_of(page));
    CHECK(!shows_the_same(later, page));
}

TEST_CASE("every single thing that a document is made of is in its identity") {
    const auto plain = identity_of(document());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        auto other = document();
        steps[i](other);
        INFO("step " << i);
        CHECK(identity_of(other) != plain);
    }
}

TEST_CASE("documents that show different things differ in identity") {
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
        if (identity_of(a) == identity_of(b)) RC_ASSERT(shows_the_same(a, b));
    }));
}
