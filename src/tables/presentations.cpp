// SPDX-License-Identifier: MIT
#include "tables/presentations.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "store/dialect.hpp"
#include "tables/releases.hpp"

namespace tables {
namespace {

using base::Seconds;
using store::Transaction;
using store::Value;

const store::Insert a_note{"meta", {"name", "value"}, {"name"}};

// A range of names ends before the character that follows '.' or '-'.
constexpr const char* shown = "name >= 'shown.' AND name < 'shown/'";
constexpr const char* rewritten = "name >= 'rewritten-' AND name < 'rewritten.'";

std::string site_prefix(const Presentation& presentation) {
    return "shown." + presentation.site + ".";
}

// The time and the name of a row. Of two of one site, as two nodes of a cluster may leave them, the
// greater one counts.
using Note = std::pair<Seconds, std::string>;
Note note_in(const store::Row& row) {
    return {Seconds(std::chrono::seconds(row.integer(1))), row.text(0)};
}

}  // namespace

std::string Presentation::name() const { return site_prefix(*this) + digest; }

std::map<std::string, Seconds> presentations(Transaction& transaction) {
    std::map<std::string, Note> newest;  // by site
    Seconds last_rewrite{};
    for (const auto& row : transaction.query(std::string("SELECT name, value FROM meta WHERE (") +
                                             shown + ") OR (" + rewritten + ")"))
        if (row.text(0).starts_with("shown")) {
            auto& of_site = newest[row.text(0).substr(0, row.text(0).rfind('.'))];
            of_site = std::max(of_site, note_in(row));
        } else {
            last_rewrite = std::max(last_rewrite, note_in(row).first);
        }
    std::map<std::string, Seconds> since;
    for (const auto& [site, note] : newest)
        since.emplace(note.second, std::max(note.first, last_rewrite));
    return since;
}

void record_presentation(Transaction& transaction, const Presentation& presentation,
                         Seconds now) {
    std::vector<Note> of_site;
    for (const auto& row :
         transaction.query(std::string("SELECT name, value FROM meta WHERE ") + shown +
                           std::string(store::for_update(transaction.engine()))))
        if (row.text(0).starts_with(site_prefix(presentation))) of_site.push_back(note_in(row));
    std::ranges::sort(of_site, std::greater());
    auto since = now;
    if (!of_site.empty()) {
        const auto& [time, name] = of_site.front();
        if (name == presentation.name()) return;
        // Two presentations of a site never begin in the same second.
        since = std::max(now, time + std::chrono::seconds(1));
    }
    for (const auto& [time, name] : of_site)
        transaction.execute("DELETE FROM meta WHERE name = ?", {Value{name}});
    // False: another process has inserted the same row meanwhile.
    (void)store::insert_unless_there(
        transaction, a_note,
        std::vector{Value{presentation.name()}, Value{since.time_since_epoch().count()}});
}

void note_rewrite(Transaction& transaction, Seconds now) {
    move_generation(transaction);
    const Value name{"rewritten-" + slot_of_process()};
    // Pages may have been shown in this second already.
    const Value time{(now + std::chrono::seconds(1)).time_since_epoch().count()};
    if (transaction.execute("UPDATE meta SET value = CASE WHEN value < ? THEN ? ELSE value END"
                            " WHERE name = ?",
                            {time, time, name}) == 0)
        (void)store::insert_unless_there(transaction, a_note, std::vector{name, time});
}

}  // namespace tables
