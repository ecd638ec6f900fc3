// history/republication.hpp -- what a release that was published again with other content makes of one
// object: its row of that release computed anew, against the tree of the release before.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "history/examine.hpp"
#include "tables/replacement.hpp"

namespace history {

class Republication {
   public:
    // All outlive it.
    //   build     the release as it is published again
    //   previous  the kept index of the release before; may be nullptr
    //   releases  known ones, that of the build included
    Republication(const Context& desk, const source::Source& build,
                  const source::Source* previous, const tables::Releases& releases);

    // Withdrawn: the release has no change left in this object.
    enum class Fate : unsigned char { as_it_is, changed, vanished, withdrawn };
    struct Answer {
        Fate fate = Fate::as_it_is;
        std::optional<tables::Replacement> replacement;  // none: nothing is to be written
    };
    // The same answer again once the replacement is in place.
    //   object  compared in this release already, settled
    //   error   what loading met
    //   throws  store::Failure
    [[nodiscard]] base::Result<Answer> of(const tables::ObjectRow& object) const;

   private:
    // What the tables hold.
    struct Known {
        std::optional<ObjectName> spelling;     // the build's; none: it is not there
        std::optional<tables::Row> recorded;    // of this release
        std::optional<tables::KnownTree> tree;  // of an earlier one
        bool had_vanished = false;              // and was not there then
        bool is_adopted = false;
        std::string since;         // the release to compare with
        base::Date last_modified;  // by an earlier release
        std::vector<std::string> recorded_in;
    };
    // What the release makes of it, as if nobody had asked before.
    struct Verdict {
        std::optional<tables::Row> row;
        std::string label;
        // What was recorded reads the same today: where the row differs, [ignore] does.
        bool stands = false;
    };

    [[nodiscard]] base::Result<Known> read(const tables::ObjectRow& object) const;
    [[nodiscard]] Known read_rows(store::Transaction& transaction,
                                  const tables::ObjectRow& object) const;
    [[nodiscard]] base::Result<std::optional<Before>> before(const tables::ObjectRow& object,
                                                             const Known& known,
                                                             const After& after) const;
    [[nodiscard]] Before known_before(const tables::ObjectRow& object, const Known& known) const;
    [[nodiscard]] base::Result<Verdict> judge(const tables::ObjectRow& object, const Known& known,
                                              const After& after) const;
    [[nodiscard]] base::Result<bool> stands(const tables::ObjectRow& object, const Known& known,
                                            const Verdict& verdict) const;
    [[nodiscard]] base::Result<std::optional<After>> recorded_state(
        const tables::ObjectRow& object) const;
    [[nodiscard]] base::Result<tables::Row> with_rename(tables::Row row, const Before& before,
                                                        const After& after) const;
    [[nodiscard]] base::Result<std::vector<ObjectName>> had_content(
        store::Transaction& transaction, const ObjectName& object,
        const std::string& signature) const;
    [[nodiscard]] base::Result<std::vector<ObjectName>> claims(store::Transaction& transaction,
                                                               const ObjectName& name) const;
    [[nodiscard]] Answer answer(const tables::ObjectRow& object, const Known& known,
                                const After& after, Verdict verdict) const;
    [[nodiscard]] std::optional<tables::Row> row_to_be(const Known& known, const After& after,
                                                       const Verdict& verdict) const;

    const Context& desk_;
    const source::Source& build_;
    const source::Source* previous_;
    const tables::Releases& releases_;
    tables::Releases earlier_;  // than that of the build
    Examiner examiner_;
};

}  // namespace history
