// SPDX-License-Identifier: MIT
#include "serve/feed_source.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "serve/refusal.hpp"

namespace serve {

namespace {

using history::ObjectName;

constexpr std::string_view elsewhere = "The feed is elsewhere.";

tl::unexpected<Refusal> moved(const Workings& workings, const FeedQuery& query) {
    return refuse({301, std::string(elsewhere), workings.url_of(address_of(query))});
}

Answered<Loaded> load_object(Workings& workings, const FeedQuery& query,
                             const history::Window& window) {
    auto answer = workings.desk.history_of(query.object, window);
    if (!answer)
        return refuse(refusal_of(answer.error(), wanted_object(query.object), window.since));
    if (answer->history.object != query.object) {
        auto recorded = query;
        recorded.object = answer->history.object;
        return moved(workings, recorded);
    }
    auto subject = render::subject_of(answer->history, workings.look);
    history::Excerpt& excerpt = answer->history;
    return Loaded{std::move(excerpt), std::move(subject), answer->up_to_date};
}

bool same_but_for_case(const ObjectName& a, const ObjectName& b) {
    return base::equal_ignoring_case(a.class_name, b.class_name) &&
           base::equal_ignoring_case(a.name, b.name);
}

// The list with known objects in their recorded spelling. Unknown ones stay: the address is
// theirs too when a later release brings them.
std::vector<ObjectName> respelled(std::vector<ObjectName> asked,
                                  const std::vector<history::Named>& known) {
    for (auto& object : asked) {
        if (std::ranges::binary_search(known, object, {}, &history::Named::object)) continue;
        const auto other = std::find_if(known.begin(), known.end(), [&](const auto& each) {
            return same_but_for_case(each.object, object);
        });
        if (other != known.end()) object = other->object;
    }
    std::sort(asked.begin(), asked.end());
    asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
    return asked;
}

Answered<Loaded> load_list(Workings& workings, const FeedQuery& query,
                           const history::Window& window) {
    auto listed = workings.desk.watch_list(query.objects, window);
    if (!listed) return refuse(refusal_of(listed.error(), wanted_list(), window.since));
    if (auto objects = respelled(query.objects, listed->list.objects); objects != query.objects) {
        auto recorded = query;
        recorded.objects = std::move(objects);
        return moved(workings, recorded);
    }
    auto subject = render::subject_of(listed->list, workings.look);
    history::Excerpt& excerpt = listed->list;
    return Loaded{std::move(excerpt), std::move(subject), listed->up_to_date};
}

// The class as it is written, if only its case differs; empty: there is none.
std::string class_like(const Workings& workings, const std::string& class_name) {
    const auto classes = workings.desk.reading.known_classes();
    if (!classes) return {};
    const auto found = std::find_if(classes->begin(), classes->end(), [&](const auto& each) {
        return base::equal_ignoring_case(each, class_name);
    });
    return found == classes->end() || *found == class_name ? std::string() : *found;
}

Answered<Loaded> load_class(Workings& workings, const FeedQuery& query,
                            const history::Window& window) {
    const auto& class_name = query.object.class_name;
    auto excerpt = workings.desk.reading.class_history(class_name, window);
    if (excerpt)
        return Loaded{std::move(*excerpt), render::subject_of_class(class_name, workings.look)};
    if (excerpt.error().kind == base::Kind::absent)
        if (auto written = class_like(workings, class_name); !written.empty()) {
            auto recorded = query;
            recorded.object.class_name = std::move(written);
            return moved(workings, recorded);
        }
    return refuse(refusal_of(excerpt.error(), wanted_class(class_name), window.since));
}

Answered<Loaded> load_release(Workings& workings, const FeedQuery& query,
                              const history::Window& window) {
    auto excerpt = workings.desk.reading.release_history(query.version, window);
    if (!excerpt) return refuse(refusal_of(excerpt.error(), wanted_release(query.version)));
    const history::Release release = excerpt->rows.empty()
                                         ? history::Release{query.version, excerpt->last_modified}
                                         : excerpt->rows.front().release;
    return Loaded{std::move(*excerpt), render::subject_of_release(release, workings.look)};
}

}  // namespace

Answered<Loaded> load(Workings& workings, const FeedQuery& query, const history::Window& window) {
    switch (query.of) {
        case FeedQuery::Of::watch_list: return load_list(workings, query, window);
        case FeedQuery::Of::whole_class: return load_class(workings, query, window);
        case FeedQuery::Of::release: return load_release(workings, query, window);
        case FeedQuery::Of::object: break;
    }
    return load_object(workings, query, window);
}

render::Channel channel_of(const Workings& workings, const Asking& asking,
                           const render::Subject& subject) {
    const auto& query = asking.query;
    return {
        .subject = subject,
        .narrowing = narrowing_of(query),
        .self_url = workings.url_of(address_of(query)),
        .current_url =
            query.is_archive() ? workings.url_of(current_address_of(query)) : std::string(),
        .archive_url = workings.url_of(archive_address_of(query, asking.format.name)),
        .before = query.window.before,
    };
}

std::string feed_tag_of(const Workings& workings, const Asking& asking,
                        const history::Excerpt& excerpt, const render::Channel& channel) {
    return workings.entity_tag_of({asking.format.name, render::identity_of(excerpt, channel)});
}

}  // namespace serve
