// SPDX-License-Identifier: MIT
#include "harvest/mentions.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <re2/re2.h>
#include <set>

#include "base/digest.hpp"
#include "base/log.hpp"
#include "base/utf8.hpp"
#include "store/dialect.hpp"
#include "tables/mentions.hpp"
#include "tables/trees.hpp"

namespace harvest {
namespace {

using base::Result;
using store::Access;
using store::Transaction;
using store::Value;
using tree::ObjectName;

// Of one pattern: its program and the states that RE2 keeps of it. It is slower with few, and never wrong.
constexpr std::int64_t most_memory_of_pattern = 4 << 20;
constexpr std::size_t longest_pattern = 4096;
constexpr std::size_t most_matches = 1'000;

re2::RE2::Options options_of_patterns() {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(most_memory_of_pattern);
    return options;
}

// What may come before a word and after it. RE2 cannot look around, so that these characters are part of a match,
// and one of them may be that of the next match too.
constexpr std::string_view before_word = R"((?:^|[^\pL\pM\pN_.\-]|(?:^|[^\pL\pM\pN_])[.\-]))";
constexpr std::string_view behind_word = R"((?:$|[^\pL\pM\pN_.\-]|[.\-](?:$|[^\pL\pM\pN_])))";

tl::unexpected<base::Error> refused(const MentionRule& rule, const std::string& why) {
    return base::fail(base::ErrorKind::refused, "\"" + rule.pattern + "\" " + why);
}

// The values below a tag of an entry.
template <class Use>
void for_values(const std::vector<tree::Node>& entry, std::string_view tag, Use use) {
    for (const auto& node : entry)
        if (node.cell.text == tag)
            for (const auto& value : node.children) use(value.cell.text);
}

// -- the review of stored entries

const store::Insert a_note{"harvest_notes", {"name", "number", "text"}, {"name"}};

// Returns the number of what has this digest, a new one if another digest was the last.
std::int64_t number_of_rules(Transaction& transaction, const std::string& digest) {
    const Value name{std::string("rules")};
    const auto noted = transaction.query("SELECT number, text FROM harvest_notes WHERE name = ?" +
                                             std::string(store::for_update(transaction.engine())),
                                         {name});
    if (!noted.empty() && noted.front().text(1) == digest) return noted.front().integer(0);
    // Entries that were imported have numbers of another store.
    const auto highest = transaction.query("SELECT COALESCE(MAX(rules), 0) FROM entries");
    const auto number =
        std::max(highest.at(0).integer(0), noted.empty() ? 0 : noted.front().integer(0)) + 1;
    transaction.execute(store::upsert_sql(transaction.engine(), a_note),
                        {name, Value{number}, Value{digest}});
    return number;
}

struct StoredTree {
    std::int64_t entry = 0;
    std::string seen_digest;                      // of the version that was read
    std::optional<std::vector<tree::Node>> tree;  // nullopt: it is damaged
};

std::vector<StoredTree> trees_to_search(Transaction& transaction, std::int64_t rules) {
    std::vector<StoredTree> trees;
    for (const auto& row : transaction.query(
             "SELECT id, seen_digest, tree FROM entries WHERE rules < ?"
             " ORDER BY rules DESC, id DESC LIMIT ?",
             {Value{rules}, Value{static_cast<std::int64_t>(MentionReview::entries_at_once)}})) {
        StoredTree stored{row.integer(0), row.text(1), std::nullopt};
        if (auto tree = tables::unpacked_tree(row.blob(2)))
            stored.tree = *std::move(tree);
        else
            base::log::error("an entry cannot be read", {{"entry", std::to_string(stored.entry)},
                                                         {"reason", tree.error().text}});
        trees.push_back(std::move(stored));
    }
    return trees;
}

// Notes that an entry was searched. Returns false if that has happened meanwhile, or it has another version.
bool note_searched(Transaction& transaction, const StoredTree& stored, std::int64_t rules) {
    return transaction.execute(
               "UPDATE entries SET rules = ? WHERE id = ? AND rules < ? AND seen_digest = ?",
               {Value{rules}, Value{stored.entry}, Value{rules}, Value{stored.seen_digest}}) == 1;
}

}  // namespace

// Inside of another pattern, a parenthesis too many may go unseen.
Result<void> check_rule(const MentionRule& rule) {
    if (rule.pattern.size() > longest_pattern)
        return refused(rule, "is longer than " + std::to_string(longest_pattern) + " bytes");
    const re2::RE2 alone(rule.pattern, options_of_patterns());
    if (!alone.ok()) return refused(rule, "is not a regular expression: " + alone.error());
    if (re2::RE2::FullMatch("", alone)) return refused(rule, "matches the empty text");
    return {};
}

struct MentionRules::Compiled {
    explicit Compiled(const MentionRule& rule)
        : class_name(rule.class_name),
          word(std::string(before_word) + "(" + rule.pattern + ")" + std::string(behind_word),
               options_of_patterns()) {}
    std::string class_name;
    re2::RE2 word;
};

Result<MentionRules> MentionRules::compile(std::span<const MentionRule> rules) {
    MentionRules compiled;
    base::Digest digest(base::Algorithm::md5);
    for (const auto& rule : rules) {
        if (const auto checked = check_rule(rule); !checked)
            return tl::unexpected(checked.error());
        auto one = std::make_shared<const Compiled>(rule);
        if (!one->word.ok()) return refused(rule, "is too large: " + one->word.error());
        compiled.compiled_.push_back(std::move(one));
        for (const auto& part : {rule.class_name, rule.pattern})
            digest.update(std::to_string(part.size()) + ":" + part);
    }
    if (!rules.empty()) compiled.digest_ = digest.hex();
    return compiled;
}

std::vector<ObjectName> MentionRules::words_in(std::string_view text) const {
    std::vector<ObjectName> words;
    std::set<ObjectName> known;
    const re2::StringPiece all(text.data(), text.size());
    for (const auto& rule : compiled_) {
        std::size_t at = 0;
        re2::StringPiece found[2];
        for (std::size_t matches = 0; matches < most_matches; ++matches) {
            if (words.size() >= most_words_of_entry) return words;
            if (!rule->word.Match(all, at, all.size(), re2::RE2::UNANCHORED, found, 2)) break;
            const std::string_view word(found[1].data(), found[1].size());
            const auto end = static_cast<std::size_t>(word.data() - text.data()) + word.size();
            // What follows the word may come before the next one.
            at = std::max(end, at + 1);
            if (!tree::can_be_tracked(rule->class_name, word) || !base::is_legal_text(word))
                continue;
            ObjectName object{rule->class_name, std::string(word)};
            if (known.insert(object).second) words.push_back(std::move(object));
        }
    }
    return words;
}

std::vector<ObjectName> MentionFinder::mentions_in(const std::vector<tree::Node>& entry) const {
    if (rules.empty()) return {};
    std::vector<ObjectName> words;
    for (const auto* tag : {"Title", "Link", "Content"})
        for_values(entry, tag, [&](const std::string& text) {
            for (auto& word : rules.words_in(text))
                if (words.size() < most_words_of_entry && std::ranges::count(words, word) == 0)
                    words.push_back(std::move(word));
        });
    if (words.empty()) return {};
    auto objects = find_objects(words);
    std::ranges::sort(objects);
    const auto twice = std::ranges::unique(objects);
    objects.erase(twice.begin(), twice.end());
    if (objects.size() > most_mentions_of_entry) objects.resize(most_mentions_of_entry);
    return objects;
}

std::string MentionFinder::digest() const {
    if (rules.empty() || !known_objects) return rules.digest();
    return base::md5_hex(rules.digest() + known_objects());
}

bool MentionFinder::has_build() const {
    return rules.empty() || !known_objects || !known_objects().empty();
}

bool MentionReview::step(store::Pool& pool, const MentionFinder& finder,
                         const std::function<base::Seconds(Transaction&)>& clock) {
    // Without a build, objects that were never recorded would be unknown, and their mentions would be deleted.
    if (!finder.has_build()) {
        rules_ = 0;
        return false;
    }
    if (auto digest = finder.digest(); rules_ == 0 || digest != digest_) {
        rules_ = store::perform(pool, Access::write, number_of_rules, digest);
        digest_ = std::move(digest);
    }
    const auto trees = store::perform(pool, Access::read, trees_to_search, rules_);
    if (trees.empty()) return false;
    std::vector<std::vector<ObjectName>> mentions;
    for (const auto& stored : trees)
        mentions.push_back(stored.tree ? finder.mentions_in(*stored.tree)
                                       : std::vector<ObjectName>());
    store::perform(pool, Access::write, [&](Transaction& transaction) {
        const auto now = clock(transaction);
        for (std::size_t i = 0; i < trees.size(); ++i)
            if (note_searched(transaction, trees[i], rules_) && trees[i].tree)
                tables::replace_mentions(transaction, trees[i].entry, mentions[i], now);
    });
    return true;
}

}  // namespace harvest
