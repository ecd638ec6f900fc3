// Objects that are looked for by class and name, or by what people call them.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "query/name_range.hpp"
#include "query/query.hpp"
#include "query/visible.hpp"
#include "store/dialect.hpp"

namespace query {
namespace {

using store::Access;
using store::Transaction;
using store::Value;

// Classes of the build that are asked for a name, objects that are loaded for their label, and
// keys that are gone through for those of one class.
constexpr std::size_t most_classes = 300, most_loaded = 8, most_keys = 20'000;
constexpr std::size_t shortest_beginning = 2;

// From class to class by the index: a DISTINCT would walk over all objects.
std::vector<std::string> recorded_classes(Transaction& transaction) {
    std::vector<std::string> classes;
    for (;;) {
        const auto rows =
            transaction.query("SELECT class FROM objects WHERE class > ? ORDER BY class LIMIT 1",
                              {Value{classes.empty() ? "" : classes.back()}});
        if (rows.empty()) return classes;
        classes.push_back(rows.front().text(0));
    }
}

// The class that is meant, as it is spelled; what is no class stays as it is.
std::string spelled(Transaction& transaction, const ReadContext& reading,
                    const std::string& asked) {
    if (asked.empty()) return asked;
    std::vector<std::string> classes;
    if (reading.builds.build)
        for (const auto& count : reading.builds.build->class_counts())
            classes.push_back(count.class_name);
    for (const bool in_store : {false, true}) {
        if (in_store) classes = recorded_classes(transaction);
        if (std::ranges::find(classes, asked) != classes.end()) return asked;
        for (const auto& each : classes)
            if (base::equal_ignoring_case(each, asked)) return each;
    }
    return asked;
}

class Search {
   public:
    Search(const ReadContext& reading, std::string class_name, std::string_view text,
           std::size_t most)
        : reading_(reading), class_name_(std::move(class_name)), text_(text), most_(most) {}

    std::vector<Named> run() {
        store::perform(reading_.pool, Access::read, [&](Transaction& transaction) {
            found_.clear();
            seen_.clear();
            visible_.emplace(transaction, reading_);
            class_name_ = spelled(transaction, reading_, class_name_);
            for (const auto column : columns) look_for(transaction, column);
        });
        look_in_build();
        if (text_.size() >= shortest_beginning)
            store::perform(reading_.pool, Access::read, [&](Transaction& transaction) {
                look_from(transaction, "label_key");
                if (!class_name_.empty()) look_in_class(transaction);
                look_from(transaction, "name_key");
            });
        return std::move(found_);
    }

   private:
    // What people call an object stands before what merely bears that name.
    static constexpr std::array columns{"label_key", "name_key"};

    [[nodiscard]] bool is_full() const { return found_.size() >= most_; }

    void take(const ObjectName& object, const std::string& label) {
        if (is_full() || !seen_.insert(object).second) return;
        found_.push_back({object, label.empty() ? object.name : label});
    }

    void take(Transaction& transaction, const store::Rows& rows) {
        for (auto& named : visible_->among(transaction, rows)) {
            // What is recorded of it is of a newer release alone: the build tells.
            if (named.label.empty() && reading_.builds.build)
                named.label = label_in(*reading_.builds.build, named.object);
            if (begins(named.object.name) || begins(named.label)) take(named.object, named.label);
        }
    }

    // A label that a newer release gave it is not the one that it has now.
    [[nodiscard]] bool begins(const std::string& text) const {
        return base::fold_ascii(text).starts_with(base::fold_ascii(text_));
    }

    // Those whose key is the text.
    void look_for(Transaction& transaction, const std::string& column) {
        std::vector<Value> values{Value{base::fold_ascii(text_)}};
        auto sql = std::string(found_columns) + " FROM objects WHERE " + column + " = ?";
        if (!class_name_.empty()) {
            sql += " AND class = ?";
            values.emplace_back(class_name_);
        }
        values.emplace_back(static_cast<std::int64_t>(most_));
        // In the order of the index, since hundreds of thousands may have one label; by name
        // are those sorted that are read.
        auto rows = transaction.query(sql + " ORDER BY " + column + ", class LIMIT ?", values);
        std::ranges::sort(
            rows, {}, [](const store::Row& row) { return ObjectName{row.text(1), row.text(2)}; });
        take(transaction, rows);
    }

    // Those of a class whose name begins with the text as it is written.
    void look_in_class(Transaction& transaction) {
        if (is_full()) return;
        const auto range = beginning_with(text_);
        take(transaction,
             transaction.query(std::string(found_columns) +
                                   " FROM objects WHERE class = ? AND name >= ? AND name < ?"
                                   " ORDER BY class, name LIMIT ?",
                               {Value{class_name_}, Value{range.first}, Value{range.behind},
                                Value{static_cast<std::int64_t>(most_)}}));
    }

    // Those whose key begins with the text. Among the first keys of an index: others may have
    // millions that begin so.
    void look_from(Transaction& transaction, const std::string& column) {
        if (is_full()) return;
        const auto range = names_beginning_with(text_);
        const std::string keys =
            column + " >= ? AND " + column + " < ? ORDER BY " + column + ", class LIMIT ?";
        const auto chosen = std::string(found_columns) + " FROM objects WHERE ";
        const Value first{range.first}, behind{range.behind},
            most{static_cast<std::int64_t>(most_)};
        if (class_name_.empty()) {
            take(transaction, transaction.query(chosen + keys, {first, behind, most}));
            return;
        }
        take(transaction,
             transaction.query("SELECT o.oid, o.class, o.name, o.label, o.ace_version FROM"
                               " (SELECT oid, class, " +
                                   column + " FROM objects WHERE " + keys + ") k" +
                                   std::string(store::read_first(transaction.engine())) +
                                   "objects o ON o.oid = k.oid WHERE k.class = ? ORDER BY k." +
                                   column + " LIMIT ?",
                               {first, behind, Value{static_cast<std::int64_t>(most_keys)},
                                Value{class_name_}, most}));
    }

    // A build that can't be asked now has nothing to add.
    void look_in_build() {
        if (!reading_.builds.build) return;
        const auto& build = *reading_.builds.build;
        std::vector<std::string> classes;
        if (!class_name_.empty())
            classes.push_back(class_name_);
        else
            for (const auto& count : build.class_counts()) classes.push_back(count.class_name);
        classes.resize(std::min(classes.size(), most_classes));
        for (const auto& class_name : classes) {
            if (is_full()) return;
            const auto spelling = build.find({class_name, text_});
            if (spelling && *spelling && !is_recorded(**spelling))
                take(**spelling, label_in(build, **spelling));
        }
    }

    // Under another spelling it may be.
    [[nodiscard]] bool is_recorded(const ObjectName& spelling) const {
        return std::ranges::any_of(found_, [&](const Named& named) {
            return base::equal_ignoring_case(named.object.class_name, spelling.class_name) &&
                   base::equal_ignoring_case(named.object.name, spelling.name);
        });
    }

    std::string label_in(const source::Source& build, const ObjectName& object) {
        if (loaded_++ >= most_loaded) return {};
        const auto loaded = build.load(object);
        return loaded ? history::label_of(loaded->nodes, object, reading_.settings.names) : "";
    }

    const ReadContext& reading_;
    std::string class_name_, text_;
    std::size_t most_, loaded_ = 0;
    std::vector<Named> found_;
    std::set<ObjectName> seen_;
    std::optional<Visible> visible_;
};

}  // namespace

std::vector<Named> find_named(const ReadContext& reading, const std::string& class_name,
                              std::string_view text, std::size_t most) {
    if (text.empty() || text.size() > tree::longest_name) return {};
    return Search(reading, class_name, text, most).run();
}

std::vector<std::string> known_classes(const ReadContext& reading) {
    std::set<std::string> classes;
    if (reading.builds.build)
        for (const auto& count : reading.builds.build->class_counts())
            classes.insert(count.class_name);
    store::perform(reading.pool, Access::read, [&](Transaction& transaction) {
        for (auto& recorded : recorded_classes(transaction)) classes.insert(std::move(recorded));
    });
    return {classes.begin(), classes.end()};
}

StoreCounts count_store(store::Pool& pool) {
    return store::perform(pool, Access::read, [](Transaction& transaction) {
        const auto count = [&](const char* sql) {
            return transaction.query(sql).at(0).integer(0);
        };
        return StoreCounts{count("SELECT COUNT(*) FROM objects"),
                           count("SELECT COUNT(*) FROM history")};
    });
}

}  // namespace query
