// history/batch_writer.hpp -- the outcomes of a batch written, in transactions that end in time.
// For history/batch.cpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "history/batch.hpp"
#include "history/record.hpp"

namespace history {

// What is to be done for an object.
enum class Course : unsigned char {
    nothing,
    look,   // load it and compare
    note,   // move its row on
    write,  // record the outcome
    list,   // among those that failed
    alone,  // by refresh(): its spelling, a rename or a race needs care
};

struct Item {
    explicit Item(const ObjectName& name) { brought.object = name; }

    Brought brought;
    Course course = Course::look;
    std::optional<ObjectName> spelling;  // the build's
    Before before;
    After after;
    Outcome outcome;
    std::string packed;              // the tree, as it is stored
    std::vector<std::string> notes;  // of outcome.rows, as they are stored

    [[nodiscard]] const ObjectName& name() const { return brought.object; }
    void end(Fate fate, Course then = Course::nothing) {
        brought.fate = fate;
        course = then;
    }
    void fail(const base::Error& error) {
        brought.reason = error.text;
        end(Fate::failed, Course::list);
    }
};

class BatchWriter {
   public:
    // All outlive it.
    BatchWriter(const Context& desk, const source::Source& build,
                std::chrono::milliseconds longest, const tables::Releases& releases)
        : desk_(desk), build_(build), longest_(longest), releases_(releases) {}

    // Writes the first of them, in one transaction: as many as there is time for. Those that
    // somebody else may have recorded get the course `alone` instead.
    //   needs   items of the courses write, note and list; at least one
    //   returns how many were dealt with
    //   error   conflict: the release is recorded with other content
    //   throws  store::Failure
    [[nodiscard]] base::Result<std::size_t> write_some(std::span<Item* const> items) const;

   private:
    [[nodiscard]] const Release& current() const { return build_.release(); }
    std::size_t write_in_time(store::Transaction& transaction,
                              std::span<Item* const> items) const;
    void write_together(store::Transaction& transaction, std::span<Item* const> items) const;
    [[nodiscard]] std::vector<std::int64_t> write_objects(store::Transaction& transaction,
                                                          std::span<Item* const> items) const;
    void list_born_late(store::Transaction& transaction,
                        std::span<const tables::ObjectRow* const> fresh) const;
    [[nodiscard]] std::int64_t write_known(store::Transaction& transaction,
                                           const Item& item) const;

    const Context& desk_;
    const source::Source& build_;
    std::chrono::milliseconds longest_;
    const tables::Releases& releases_;
};

}  // namespace history
