// query/search.hpp -- objects found by class and name or by what people call them, and the classes
// that there are. Nothing is recorded. Safe from any thread. All functions throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "query/context.hpp"
#include "query/history_page.hpp"

namespace query {

// An object that a search found.
struct Match {
    ObjectName object;
    std::string label;             // never empty
    bool vanished = false;         // in the current release
    std::string vanished_in = {};  // the release that took it; empty: not known
    bool operator==(const Match&) const = default;
};
// A part of what a search found.
struct SearchPage {
    std::size_t from = 0, most = 50;
};
struct SearchAnswer {
    std::vector<Match> found;
    bool has_more = false;    // behind this page
    bool is_complete = true;  // false: so many have the words that perhaps not all were looked at
};

// Finds the objects whose label, name or other names ([search] of the configuration) have, for each
// word of `text`, a word that begins with it (base/words.hpp says what a word is), or whose label or
// name begins with `text` as a whole. They are compared as base::search_key() says; the beginning of
// a name as it is written, without regard to ASCII case. If no object is called so, the spellings of
// base::tidied() are looked for. Finds recorded objects, as they are called in the current release;
// objects of the build that have exactly this name; not what only a newer release has.
//   class_name  ASCII case ignored; empty: any
//   text        its first 8 words; empty, or longer than a name: nothing is found
//   returns     objects of helper classes last; otherwise first those whose label it is, then whose
//               name it is, whose other name it is (all but for ASCII case), whose label is the
//               same to base::search_key(), whose other name is, whose label begins with it, that
//               have its words, that have words that begin with its words; among these vanished
//               ones last, then by label where it begins with the text, then by class and name. The
//               order in which objects were recorded does not matter
//   cost        ranges of indexes, whatever the size of the store. Of the word that the fewest
//               objects have, the first 500 objects are looked at (by word, class and name) and the
//               first 500 whose name or label begins with it, besides 200 whose label begins with
//               the text. Of one class at most 2,000 words, names and labels that begin with it are
//               read. For what the current release calls objects that a newer one has recorded, up
//               to 64 trees are read, the first ones by class and name, and up to 8 objects of the
//               build are loaded
[[nodiscard]] SearchAnswer find_named(const ReadContext& context, const std::string& class_name,
                                      std::string_view text, const SearchPage& page);

// An object that people call what was asked for.
struct Called {
    ObjectName object;
    bool vanished = false;  // not in the current build
};
// Returns the objects of a class whose label is the name that was asked for, but for ASCII case; if
// there are none, those whose label is the same to base::search_key(); if there are none either, those
// that exactly_named() finds by the first spelling of base::tidied() that is somebody's. Sorted by name.
// By labels, finds recorded objects only, by those that they have in the current release; never one that
// has this very name.
//   most  1 … 100; fewer may be returned though there are more, if newer releases gave labels
//         anew, or if more than 200 labels have this key
//   cost  a range of an index, up to 200 objects, and a look-up in the build for each one returned;
//         the same again for each other spelling
[[nodiscard]] std::vector<Called> objects_called(const ReadContext& context,
                                                 const ObjectName& asked, std::size_t most);

// Returns the objects of these classes whose name is the text, or if there are none whose label it
// is, each once, sorted. ASCII case of names is ignored, labels are compared as by objects_called().
// Finds recorded objects as find_named() does, and those of the build by their names.
//   classes  as they are spelled
//   lookups  in the build that may be made; reduced by those that were
//   cost     two ranges of an index, and a look-up in the build for each class
[[nodiscard]] std::vector<Named> exactly_named(const ReadContext& context,
                                               std::span<const std::string> classes,
                                               std::string_view text, std::size_t most,
                                               std::size_t& lookups);

// What is known of an object that somebody names.
struct LookedUp {
    Named named;
    bool is_nowhere = false;  // neither recorded nor in the current build: it has no page
};
// Returns each object in its recorded spelling with the label that it has in the current release, in the
// order of asking. An object that is not recorded is spelled as in the build; one that is in neither is
// returned as it was asked for, with its name as the label. Without a build that can be read, no object
// is known to be nowhere.
//   cost  a query for 64 objects by an index, their rows where a newer release has recorded them, and a
//         look-up of each in the build, of which at most 8 are loaded for their labels
[[nodiscard]] std::vector<LookedUp> look_up(const ReadContext& context,
                                            std::span<const ObjectName> objects);
[[nodiscard]] std::vector<Named> with_labels(const ReadContext& context,
                                             std::span<const ObjectName> objects);

// Returns the classes that the build has or that are recorded and shown (is_shown_class()), sorted.
[[nodiscard]] std::vector<std::string> known_classes(const ReadContext& context);

}  // namespace query
