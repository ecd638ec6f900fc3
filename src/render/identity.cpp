// What the bytes of a document depend on, as one text.
// SPDX-License-Identifier: MIT
#include <concepts>

#include "render/feed.hpp"

namespace render {
namespace {

// Every value with its length before it, so that no two lists of values give the same text.
class Text {
   public:
    void add(std::string_view value) {
        text_ += std::to_string(value.size());
        text_ += ':';
        text_ += value;
    }
    void add(std::integral auto value) { add(std::string_view(std::to_string(value))); }
    void add(base::Seconds time) { add(time.time_since_epoch().count()); }
    void add(const base::Release& release) {
        add(release.version);
        add(base::Seconds(release.released_on));
    }
    void add(const tree::ObjectName& object) {
        add(object.class_name);
        add(object.name);
    }
    void add(const std::optional<tree::ObjectName>& object) {
        add(object.has_value());
        if (object) add(*object);
    }

    void add(const Channel& channel) {
        add(channel.subject.title);
        add(channel.subject.description);
        add(channel.subject.page_url);
        add(channel.subject.id);
        add(channel.narrowing);
        add(channel.self_url);
        add(channel.current_url);
        add(channel.archive_url);
        add(channel.before);
    }

    // What a row tells is written once, but for a release that is published again (revision,
    // recorded_at) and for renames, which may become known later.
    void add(const tables::Row& row) {
        add(row.oid);
        add(row.object);
        add(row.release);
        add(row.of_day);
        add(row.revision);
        add(row.since);
        add(row.recorded_at);
        add(row.signature);
        add(static_cast<int>(row.kind));
        add(row.label);
        add(row.notes.changes.size());
        add(row.notes.renamed_to);
        add(row.notes.renamed_from);
        add(row.notes.previous);
    }

    void add(const tables::MassChange& change) {
        add(change.version);
        add(change.class_name);
        add(change.place);
        add(change.objects);
        add(change.of);
    }

    void add(const query::ChangeFilter& narrowing) {
        add(narrowing.tag);
        add(narrowing.only.size());
        for (const auto op : narrowing.only) add(compare::name_of(op));
    }

    template <class Values>
    void add_each(const Values& values) {
        add(values.size());
        for (const auto& value : values) add(value);
    }

    std::string take() && { return std::move(text_); }

   private:
    std::string text_;
};

}  // namespace

std::string identity_of(const query::HistoryPage& excerpt, const Channel& channel) {
    Text text;
    text.add(channel);
    // A page of the archive stays what it is while history goes on.
    text.add(channel.before > 0 ? std::size_t{excerpt.recorded > channel.before}
                                : excerpt.recorded);
    text.add(excerpt.cut);
    text.add(excerpt.numbered_by_recording);
    text.add(last_modified(excerpt));
    text.add_each(excerpt.rows);
    text.add_each(excerpt.mass_changes);
    text.add(excerpt.people.size());
    for (const auto& [user, person] : excerpt.people) {
        text.add(user);
        text.add(person.object);
        text.add(person.label);
    }
    text.add(excerpt.narrowing);
    return std::move(text).take();
}

}  // namespace render
