// SPDX-License-Identifier: MIT
#include "tables/presentations.hpp"

#include <algorithm>

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

Seconds time_in(const store::Row& row) { return Seconds(std::chrono::seconds(row.integer(1))); }

}  // namespace

std::string Presentation::name() const { return site_prefix(*this) + digest; }

std::map<std::string, Seconds> presentations(Transaction& transaction) {
    std::map<std::string, Seconds> since;
    Seconds last_rewrite{};
    for (const auto& row : transaction.query(std::string("SELECT name, value FROM meta WHERE (") +
                                             shown + ") OR (" + rewritten + ")"))
        if (row.text(0).starts_with("shown"))
            since.emplace(row.text(0), time_in(row));
        else
            last_rewrite = std::max(last_rewrite, time_in(row));
    for (auto& [name, time] : since) time = std::max(time, last_rewrite);
    return since;
}

void record_presentation(Transaction& transaction, const Presentation& presentation,
                         Seconds now) {
    auto since = now;
    for (const auto& row :
         transaction.query(std::string("SELECT name, value FROM meta WHERE ") + shown +
                           std::string(store::for_update(transaction.engine())))) {
        if (row.text(0) == presentation.name()) return;
        if (!row.text(0).starts_with(site_prefix(presentation))) continue;
        // Two presentations of a site never begin in the same second.
        since = std::max(since, time_in(row) + std::chrono::seconds(1));
        transaction.execute("DELETE FROM meta WHERE name = ?", {Value{row.text(0)}});
    }
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
