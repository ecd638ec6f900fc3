// history/writer.hpp -- writes what the recorder has found out of some objects: in transactions that
// nobody waits for long, and without a second row where another process was first.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "history/recorder.hpp"
#include "history/renames.hpp"

namespace history {

// What has to be done for an object.
enum class Step : unsigned char {
    nothing,
    plan,   // read again what is recorded: at first, and after a lost race
    load,   // load it and compare
    note,   // it is unchanged: update its row
    write,  // record the outcome
    list,   // list it as failed
};

// An object on its way through the stages.
struct Recording {
    explicit Recording(const ObjectName& name) { result.object = name; }

    Recorded result;
    Step step = Step::plan;
    // Attempts that came to nothing; after the first one it has a transaction of its own.
    int attempts = 0;
    Before before;
    After after;
    Outcome outcome;
    std::optional<RenameCase> rename;
    std::string packed;              // the tree, as it is stored
    std::vector<std::string> notes;  // of outcome.rows, as they are stored

    // The recorded spelling.
    [[nodiscard]] const ObjectName& name() const {
        return before.row ? before.row->object : result.object;
    }
    void end(Status status, Step then = Step::nothing) {
        result.status = status;
        step = then;
    }
};

class Writer {
   public:
    // The caller keeps all of them alive.
    Writer(const BuildView& view, LongestWrite longest, const tables::Releases& releases)
        : view_(view), longest_(longest), releases_(releases) {}

    // Writes the first items in one transaction: as many as there is time for. Recordings that
    // somebody else may have recorded get the step `plan` instead.
    //   needs   items of the steps write, note and list, or what it left itself; at least one
    //   returns the number of items at the beginning that are done, or have the step `plan`
    //   error   conflict: the release is recorded with other content
    //   throws  store::Failure
    [[nodiscard]] base::Result<std::size_t> write_some(std::span<Recording* const> items) const;

   private:
    [[nodiscard]] const Release& current() const { return view_.current(); }
    // How far a transaction has come.
    struct Progress {
        std::size_t written = 0;  // items
        bool is_ending = false;   // only what is written of all of them at the end is missing
    };
    //   progress  is right also when it throws
    void write_in_time(store::Transaction& transaction, std::span<Recording* const> items,
                       Progress& progress) const;
    // What a transaction writes of all its items at the end.
    struct Summary {
        store::CountChanges counts;
        std::vector<const tables::ObjectRow*> fresh;  // objects that had no row
    };
    void write_together(store::Transaction& transaction, std::span<Recording* const> items,
                        Summary& summary) const;
    [[nodiscard]] std::vector<std::int64_t> write_objects(store::Transaction& transaction,
                                                          std::span<Recording* const> items,
                                                          Summary& summary) const;
    void note_first_seen_late(store::Transaction& transaction,
                              std::span<const tables::ObjectRow* const> fresh) const;
    [[nodiscard]] std::int64_t write_known(store::Transaction& transaction,
                                           const Recording& item) const;
    void check_replacing(store::Transaction& transaction,
                         std::span<Recording* const> items) const;
    void finish(std::span<Recording* const> items) const;

    const BuildView& view_;
    LongestWrite longest_;
    const tables::Releases& releases_;
};

}  // namespace history
