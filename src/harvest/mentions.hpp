// harvest/mentions.hpp -- which objects of the site entries mention: rules ([mentions] of the configuration), what they
// find in an entry, and entries that are searched again when the rules have changed.
// A mention is a whole word that the rule of a class matches in the title, the text or the link of an entry, if an
// object of that class has it as its name or label.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"
#include "base/result.hpp"
#include "store/pool.hpp"
#include "tree/object.hpp"

namespace harvest {

// Of one entry: distinct words that are asked for, and objects that it mentions.
inline constexpr std::size_t most_words_of_entry = 200, most_mentions_of_entry = 200;

// One line of [mentions]: "Gene = WBGene\d{8}|[a-z]{3,4}-\d+".
struct MentionRule {
    std::string class_name;
    std::string pattern;  // of RE2; letters of either case differ unless it has (?i)
    bool operator==(const MentionRule&) const = default;
};

// Returns what is wrong with a rule by itself.
//   error  refused: it is not a regular expression, is too large, or matches the empty text
//   cost   a tenth of a millisecond
[[nodiscard]] base::Result<void> check_rule(const MentionRule& rule);

// Rules that are ready for use. A value: copies share what is compiled. Safe from any thread.
class MentionRules {
   public:
    MentionRules() = default;  // none

    //   error  that of check_rule()
    //   cost   some milliseconds for each rule
    [[nodiscard]] static base::Result<MentionRules> compile(std::span<const MentionRule> rules);

    [[nodiscard]] bool empty() const { return compiled_.empty(); }
    // Returns a digest of the rules, 32 hex digits; empty without rules.
    [[nodiscard]] const std::string& digest() const { return digest_; }

    // Returns the words in a text that may be objects, each once for each class, in the order of the rules and then of
    // the text. A word ends where no letter, digit or underscore follows, nor a hyphen or a dot that one of these
    // follows: "unc-26" is a word of "unc-26, lev-1." and none of "unc-26b", "xunc-26" or "unc-26.2". It begins in
    // the same way.
    //   text  legal UTF-8; anything may be in it
    //   cost  O(text) for each rule and each of the first 1,000 words that it matches, in practice O(text)
    [[nodiscard]] std::vector<tree::ObjectName> words_in(std::string_view text) const;

   private:
    struct Compiled;
    std::vector<std::shared_ptr<const Compiled>> compiled_;
    std::string digest_;
};

// Returns the objects that words may mean, each word being a name or a label: those that exist, as they are recorded.
// May use the store, outside of any transaction of the caller.
//   throws  store::Failure
using FindObjects =
    std::function<std::vector<tree::ObjectName>(std::span<const tree::ObjectName> words)>;

// How a harvester knows what entries mention.
struct MentionFinder {
    MentionRules rules = {};
    FindObjects find_objects = {};  // needed if there are rules
    // Returns a text that changes when other objects may be found: of the current release, its publication, and what is
    // recorded of it; empty: there is no build to look in. May throw store::Failure.
    std::function<std::string()> known_objects = {};

    // Returns the objects that an entry mentions, each once, sorted.
    //   entry  as feed::tree_of() makes it
    [[nodiscard]] std::vector<tree::ObjectName> mentions_in(
        const std::vector<tree::Node>& entry) const;
    // Returns false as long as there are rules, but no build to look in.
    [[nodiscard]] bool has_build() const;
    // Returns a digest of what decides that: the rules, and the known objects. Without rules, these do not matter.
    [[nodiscard]] std::string digest() const;
};

// Searches stored entries again after the rules or the known objects have changed, some at a time. What finds mentions has
// a number in the store, which grows when it changes, and each entry has the number of what found its mentions: those with
// a lower one are searched again. So any of several harvesters does it, and what one with old rules records as long as it
// is at work is searched again, too. Of two harvesters with different rules, the one that began last has the higher number.
// Belongs to one thread. Functions throw store::Failure.
class MentionReview {
   public:
    static constexpr std::size_t entries_at_once = 100;

    // Searches some entries. Once there are no more, it is to be called about once a minute.
    //   returns  whether there may be more
    bool step(store::Pool& pool, const MentionFinder& finder,
              const std::function<base::Seconds(store::Transaction&)>& clock);

    // The number of what finds mentions now; 0: it has none yet, or there is no build to look in.
    [[nodiscard]] std::int64_t rules() const { return rules_; }

   private:
    std::int64_t rules_ = 0;
    std::string digest_ = {};  // of the finder when it got its number
};

}  // namespace harvest
