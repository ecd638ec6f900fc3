// query/many_rows.hpp -- the rows of a class or of a release, of which there may be millions:
// counted in an index, and only those read whole that are shown. Rows that were reconstructed
// from timestamps are not among them: no release is their news.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "query/history_page.hpp"
#include "query/row_reading.hpp"
#include "store/pool.hpp"
#include "tables/release_order.hpp"

namespace query {

// Kinds of the rows that count here, as a list of SQL.
[[nodiscard]] std::string_view kinds_of_news();

// Of more rows than this the first ones by class and name are found by going through the names.
inline constexpr std::size_t most_sorted = 20'000;

class ManyRows {
   public:
    using Place = tables::ReleaseOrder::Place;

    //   class_name  empty: of all classes
    //   places      of the releases whose rows count, newest first
    ManyRows(store::Transaction& transaction, std::string class_name,
             std::vector<const Place*> places);

    // Which rows a window shows, its `since` aside; of a release without regard to their order.
    struct Chosen {
        std::vector<std::int64_t> sids;
        std::size_t recorded = 0;
        bool cut = false;  // as in HistoryPage
    };
    //   error   malformed: notes that are no notes
    //   throws  Failure
    //   cost    of one release or of all classes: a walk over its rows in an index (2 million a
    //           second); of a class of up to 5,000 objects: all of their rows; of a larger one: a
    //           walk over all rows of those releases that are news. Pages of the archive sort
    //           the numbers of a release or two besides. A narrowing reads up to 20,000 rows.
    [[nodiscard]] base::Result<Chosen> choose(const PageRequest& window);

   private:
    using Picks = std::vector<std::pair<std::int64_t, const Place*>>;

    [[nodiscard]] bool has_few_objects();
    [[nodiscard]] std::string source(bool names_first) const;
    [[nodiscard]] std::string condition(bool names_first, std::size_t versions) const;
    [[nodiscard]] std::vector<store::Value> bound(const std::vector<const Place*>& places) const;
    void count();
    [[nodiscard]] std::size_t rows_of(const Place& place) const;
    [[nodiscard]] std::vector<std::int64_t> newest(std::size_t most);
    [[nodiscard]] std::vector<std::int64_t> recorded_between(const PageRequest& window);
    [[nodiscard]] Picks newest_picks();
    [[nodiscard]] std::vector<std::int64_t> first_by_name(const Picks& picks, std::size_t most);
    [[nodiscard]] base::Result<Chosen> narrowed(const PageRequest& window);

    store::Transaction& transaction_;
    std::string class_name_;
    std::vector<const Place*> places_;
    bool objects_first_ = false;  // a class of few objects
    std::map<std::string, std::size_t> counts_;
    std::size_t recorded_ = 0;
};

}  // namespace query
