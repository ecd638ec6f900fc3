// SPDX-License-Identifier: MIT
#include "harvest/mentions.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <re2/re2.h>
#include <set>

#include "base/digest.hpp"
#include "base/log.hpp"
#include "base/utf8.hpp"
#include "store/dialect.hpp"
#include "tables/lists.hpp"
#include "tables/mentions.hpp"
#include "tables/releases.hpp"
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

// The row of harvest_notes: `text` is the digest of the rules, and entries with an id below `number` have not been
// looked through with them.
constexpr std::string_view name_of_note = "mentions";
const store::Insert a_note{"harvest_notes", {"name", "number", "text"}, {"name"}};

struct Position {
    std::int64_t below = 0;
    std::string digest;
    bool operator==(const Position&) const = default;
};

Position read_position(Transaction& transaction, std::string_view lock) {
    const auto rows = transaction.query("SELECT number, text FROM harvest_notes WHERE name = ?" +
                                            std::string(lock),
                                        {Value{std::string(name_of_note)}});
    return rows.empty() ? Position{} : Position{rows[0].integer(0), rows[0].text(1)};
}

void write_position(Transaction& transaction, const Position& position) {
    transaction.execute(
        store::upsert_sql(transaction.engine(), a_note),
        {Value{std::string(name_of_note)}, Value{position.below}, Value{position.digest}});
}

// Rows of harvest_notes, one for each harvester: `text` is the digest by which it knows mentions, `number` the time when it
// was last at work.
constexpr std::string_view prefix_of_harvesters = "mentions ";
constexpr std::chrono::minutes at_work_within{5};

std::string new_name_of_harvester() {
    std::random_device random;
    const auto bits = std::uint64_t{random()} << 32U | random();
    return std::string(prefix_of_harvesters) + std::to_string(bits);
}

// Deletes the rows of harvesters that have ended. Returns whether one of them had another digest.
bool forget_ended(Transaction& transaction, const std::string& own_name,
                  const std::string& digest, base::Seconds now) {
    bool had_other = false;
    const auto oldest = (now - at_work_within).time_since_epoch().count();
    for (const auto& row : transaction.query(
             "SELECT name, text FROM harvest_notes WHERE name > ? AND name < ? AND number < ?"
             " AND name <> ?",
             {Value{std::string(prefix_of_harvesters)}, Value{std::string("mentions!")},
              Value{std::int64_t{oldest}}, Value{own_name}})) {
        transaction.execute("DELETE FROM harvest_notes WHERE name = ?", {row.value(0)});
        had_other |= row.text(1) != digest;
    }
    return had_other;
}

void write_start(Transaction& transaction, const std::string& digest) {
    const auto newest = transaction.query("SELECT COALESCE(MAX(id), 0) FROM entries");
    write_position(transaction, {newest.at(0).integer(0) + 1, digest});
}

struct ReviewedEntry {
    std::int64_t id = 0, feed = 0;
    std::string seen_digest;  // of the version that was read
    std::vector<tree::Node> tree;
    std::vector<ObjectName> mentions = {};
};

// Returns the next entries of the review. A damaged one is left as it is.
std::vector<ReviewedEntry> entries_below(Transaction& transaction, std::int64_t below) {
    std::vector<ReviewedEntry> entries;
    for (const auto& row : transaction.query(
             "SELECT id, feed, seen_digest, tree FROM entries WHERE id < ? ORDER BY id DESC "
             "LIMIT ?",
             {Value{below}, Value{static_cast<std::int64_t>(MentionReview::entries_at_once)}})) {
        auto tree = tables::unpacked_tree(row.blob(3));
        if (!tree)
            base::log::error(
                "an entry cannot be read",
                {{"entry", std::to_string(row.integer(0))}, {"reason", tree.error().text}});
        entries.push_back({row.integer(0), row.integer(1), row.text(2),
                           tree ? *std::move(tree) : std::vector<tree::Node>()});
    }
    return entries;
}

// Before their entries, as fetches do, so that neither waits for the other forever.
void lock_feeds_of(Transaction& transaction, std::span<const ReviewedEntry> entries) {
    std::set<std::int64_t> feeds;
    for (const auto& entry : entries) feeds.insert(entry.feed);
    const std::vector<Value> ids(feeds.begin(), feeds.end());
    static_cast<void>(tables::query_in(transaction, "SELECT id FROM feeds WHERE id IN", {}, ids,
                                       store::for_update(transaction.engine())));
}

// Returns whether the entry is still there in the version that was read, and keeps it so until the transaction ends.
// The mentions of a later version were recorded with it.
bool keep_entry(Transaction& transaction, const ReviewedEntry& entry) {
    return !transaction
                .query("SELECT id FROM entries WHERE id = ? AND seen_digest = ?" +
                           std::string(store::for_update(transaction.engine())),
                       {Value{entry.id}, Value{entry.seen_digest}})
                .empty();
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

// Notes that this harvester is at work, and starts the review where that is needed: the rules are new when it begins, it
// has recorded entries by others up to now, or a harvester that has ended may have.
void MentionReview::look_around(store::Pool& pool, const std::string& digest,
                                const std::function<base::Seconds(Transaction&)>& clock) {
    if (name_.empty()) name_ = new_name_of_harvester();
    const bool is_new = !digest_, is_other = digest_ && *digest_ != digest;
    store::perform(pool, Access::write, [&](Transaction& transaction) {
        const auto lock = store::for_update(transaction.engine());
        const auto now = clock(transaction);
        const bool is_known = read_position(transaction, lock).digest == digest;
        if (is_known || is_new || is_other) {
            const bool had_other = forget_ended(transaction, name_, digest, now);
            if (!is_known || is_other || had_other) write_start(transaction, digest);
        }
        transaction.execute(
            store::upsert_sql(transaction.engine(), a_note),
            {Value{name_}, Value{std::int64_t{now.time_since_epoch().count()}}, Value{digest}});
    });
    digest_ = digest;
}

void MentionReview::leave(store::Pool& pool) {
    if (name_.empty()) return;
    store::perform(pool, Access::write, [&](Transaction& transaction) {
        // Another harvester may have taken this one for dead, and deleted the row.
        transaction.execute(store::upsert_sql(transaction.engine(), a_note),
                            {Value{name_}, Value{std::int64_t{0}}, Value{digest_.value_or("")}});
    });
}

bool MentionReview::step(store::Pool& pool, const MentionFinder& finder,
                         const std::function<base::Seconds(Transaction&)>& clock) {
    // Without a build, objects that were never recorded would be unknown, and their mentions would be deleted.
    if (!finder.rules.empty() && finder.known_objects && finder.known_objects().empty())
        return false;
    const auto digest = finder.digest();
    if (!has_more_ || digest_ != digest) look_around(pool, digest, clock);
    const auto position = store::perform(pool, Access::read, [&](Transaction& transaction) {
        return read_position(transaction, {});
    });
    // Harvesters of other rules have begun since: theirs are newer.
    has_more_ = position.digest == digest && position.below > 1;
    if (!has_more_) return false;
    auto entries = store::perform(pool, Access::read, entries_below, position.below);
    for (auto& entry : entries) entry.mentions = finder.mentions_in(entry.tree);
    store::perform(pool, Access::write, [&](Transaction& transaction) {
        // Another harvester may have done the same meanwhile.
        const auto lock = store::for_update(transaction.engine());
        if (read_position(transaction, lock) != position) return;
        lock_feeds_of(transaction, entries);
        const auto now = clock(transaction);
        for (const auto& entry : entries)
            if (!entry.tree.empty() && keep_entry(transaction, entry))
                tables::replace_mentions(transaction, entry.id, entry.mentions, now);
        write_position(transaction, {entries.empty() ? 0 : entries.back().id, digest});
    });
    return true;
}

}  // namespace harvest
