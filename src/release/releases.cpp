// SPDX-License-Identifier: MIT
#include "release/releases.hpp"

#include "tables/tables.hpp"

namespace release {
namespace {

using store::Transaction;

// What is counted of each version; of one that is no release nobody asks.
class Counts {
   public:
    explicit Counts(Transaction& transaction) : transaction_(transaction) {
        count_history();
        count_objects();
        count_jobs();
        for (const auto& row :
             transaction_.query("SELECT version FROM releases WHERE digest <> ''"))
            of_[row.text(0)].has_digest = true;
    }

    [[nodiscard]] Listed of(const base::Release& release) const {
        const auto found = of_.find(release.version);
        auto listed = found == of_.end() ? Listed() : found->second;
        listed.release = release;
        return listed;
    }

   private:
    static std::uint64_t number(const store::Row& row, std::size_t column) {
        return static_cast<std::uint64_t>(row.integer(column));
    }

    void count_history() {
        for (const auto& row : transaction_.query(
                 "SELECT version, kind, COUNT(*) FROM history GROUP BY version, kind"))
            if (const auto kind = tables::kind_named(row.text(1)))
                of_[row.text(0)].rows[*kind] = number(row, 2);
    }

    void count_objects() {
        for (const auto& row :
             transaction_.query("SELECT ace_version, COUNT(*) FROM objects GROUP BY ace_version"))
            of_[row.text(0)].compared = number(row, 1);
    }

    void count_jobs() {
        for (const auto& row : transaction_.query("SELECT version, class FROM warmed")) {
            auto& listed = of_[row.text(0)];
            // The class without a name stands for all of them.
            if (row.text(1).empty())
                listed.is_all_warmed = true;
            else
                ++listed.warmed;
        }
        for (const auto& row :
             transaction_.query("SELECT version, COUNT(*) FROM failed GROUP BY version"))
            of_[row.text(0)].failed = number(row, 1);
    }

    Transaction& transaction_;
    std::map<std::string, Listed> of_;
};

}  // namespace

std::vector<Listed> list_releases(store::Pool& pool, const history::Settings& settings,
                                  const std::optional<base::Release>& current) {
    return store::perform(pool, store::Access::read, [&](Transaction& transaction) {
        auto releases = history::known_releases(transaction, settings, nullptr, nullptr);
        if (current) releases.add(*current);
        const Counts counts(transaction);
        std::vector<Listed> list;
        for (const auto& release : releases.up_to({{}, base::Date::max()})) {
            list.push_back(counts.of(release));
            list.back().is_current = current && release.version == current->version;
        }
        if (!list.empty()) list.back().is_newest = true;
        return list;
    });
}

}  // namespace release
