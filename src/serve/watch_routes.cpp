// The routes of watch lists: their page, what readers send to change a list, and short addresses.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/log.hpp"
#include "base/text.hpp"
#include "net/url.hpp"
#include "query/pasted_names.hpp"
#include "query/search.hpp"
#include "render/pages.hpp"
#include "render/successor.hpp"
#include "serve/context.hpp"
#include "serve/feeds.hpp"
#include "serve/form.hpp"
#include "serve/responses.hpp"
#include "serve/routes.hpp"

namespace serve {

namespace {

using tree::ObjectName;
using State = render::WatchedObject::State;

// Rows that the page counts; it shows as many of them as it has room for.
constexpr std::size_t most_newest = 200;
// Rows of an object in which its successor is looked for.
constexpr std::size_t rows_for_successor = 20;
// Unknown objects for which others are named that are called so, and how many of these.
constexpr std::size_t most_called = 20, most_called_each = 3;

// ---- the page ----

// Says in which release an object vanished, and what became of it.
void add_successor(SiteContext& context, render::WatchedObject& watched) {
    const auto answer = context.history.history_of(watched.named.object,
                                                   {.most = rows_for_successor, .since = ""});
    if (!answer) return;
    for (const auto& row : answer->history.rows)
        if (row.kind == tables::RowKind::vanished && watched.vanished_in.empty())
            watched.vanished_in = row.release.version;
    const auto successor = render::successor_of(answer->history, context.site);
    if (!successor) return;
    watched.words = successor->words;
    watched.instead =
        query::with_labels(context.history.read_context(), std::span(&successor->object, 1));
}

void add_called(SiteContext& context, render::WatchedObject& watched) {
    const auto reads = context.history.read_context();
    std::vector<ObjectName> called;
    for (auto& each : query::objects_called(reads, watched.named.object, most_called_each))
        called.push_back(std::move(each.object));
    if (called.empty()) return;
    watched.words = "Common name of:";
    watched.instead = query::with_labels(reads, called);
}

// Returns the objects of the list with what is known about each.
std::vector<render::WatchedObject> watched_objects(SiteContext& context,
                                                   const std::vector<ObjectName>& objects,
                                                   const query::HistoryService::Listed& listed) {
    const auto& known = listed.list;
    std::vector<render::WatchedObject> watched;
    std::size_t called = 0;
    for (const auto& object : objects) {
        const auto found =
            std::ranges::lower_bound(known.objects, object, {}, &query::Named::object);
        const bool is_known = found != known.objects.end() && found->object == object;
        auto& each = watched.emplace_back();
        each.named = is_known ? *found : query::Named{object, object.name};
        if (!is_known && std::ranges::binary_search(listed.unreadable, object)) {
            each.state = State::unreadable;
        } else if (!is_known) {
            each.state = State::unknown;
            if (called++ < most_called) add_called(context, each);
        } else if (std::ranges::binary_search(known.vanished, object)) {
            each.state = State::vanished;
            add_successor(context, each);
        }
    }
    return watched;
}

// Returns the newest rows of the objects; without any if none of them is known.
Result<query::HistoryService::Listed> known_of(SiteContext& context,
                                               const std::vector<ObjectName>& objects) {
    if (objects.empty()) return query::HistoryService::Listed{};
    auto listed = context.history.watch_list(objects, {.most = most_newest, .since = ""});
    if (listed) return std::move(*listed);
    if (listed.error().kind == base::ErrorKind::absent) return query::HistoryService::Listed{};
    return fail(http_error_of(listed.error(), wanted_list()));
}

}  // namespace

Result<RenderedPage> render_watch(SiteContext& context, const Query& query) {
    auto asked = objects_of_list(context, query);
    if (!asked) return fail(asked.error());
    auto listed = known_of(context, *asked);
    if (!listed) return fail(listed.error());
    const auto objects = recorded_spellings(*asked, listed->list.objects);
    const auto reads = context.history.read_context();
    render::WatchView view;
    view.id = list_id_of(query);
    if (view.id.empty() && objects != *asked)
        return fail(moved("page", query.with(objects).url()));
    view.objects = watched_objects(context, objects, *listed);
    view.unclear = query::meanings_of(reads, query.all("pasted"));
    view.left_out = query.number("left_out", 0);
    view.class_name = query.get("class");
    view.text = query.get("q");
    if (!view.text.empty()) {
        auto answer = query::find_named(reads, view.class_name, view.text, {.most = most_found});
        view.found = std::move(answer.found);
        view.has_more = answer.has_more;
    }
    view.classes = context.classes();
    view.changes = std::move(listed->list);
    return RenderedPage{.body = render::watch_page(view, context.page_site, context.templates),
                        .provisional = !context.has_build() || !listed->up_to_date};
}

namespace {

// ---- what readers send ----

// Refuses what pages of other sites make a browser send. They could do no more than keep a list; but
// what a reader did not send is not kept.
std::optional<HttpError> check_origin(const SiteContext& context, const Request& request) {
    const HttpError other_site{403, "This form was sent from a page of another site."};
    // The browser knows better than the address that this site is configured with.
    const auto site = request.field("sec-fetch-site");
    const auto origin = request.field("origin");
    // "null" is a page that does not say where it is from: one of a private site, or of somebody who hides it.
    if (origin == "null") return site == "same-origin" ? std::nullopt : std::optional(other_site);
    const bool is_other = site == "cross-site" || site == "same-site";
    if (!site.empty()) return is_other ? std::optional(other_site) : std::nullopt;
    if (origin.empty()) return std::nullopt;
    const auto base_url = net::parse_url(context.site.base_url);
    if (base_url && origin == net::origin_of(*base_url)) return std::nullopt;
    // Browsers may reach the site by another name than it is configured with.
    const auto host = origin.find("://");
    if (host != std::string_view::npos && origin.substr(host + 3) == request.field("host"))
        return std::nullopt;
    return other_site;
}

// Browsers send the lines of a value with CR LF.
std::string with_plain_lines(std::string_view value) {
    std::string text(value);
    for (auto at = text.find("\r\n"); at != std::string::npos; at = text.find("\r\n", at))
        text.erase(at, 1);
    return text;
}

// A list as a form sends it. It may have more than its address has room for.
struct SentList {
    std::vector<ObjectName> objects;
    std::vector<std::string> pasted;  // names that mean no object, or several
    std::size_t left_out = 0;         // of the names that were looked up
    Query page{"/watch"};             // the page that shows it, with a search
    [[nodiscard]] std::string url() && {
        return fitting_url(page, std::move(objects), std::move(pasted), left_out);
    }
};

void add_once(std::vector<ObjectName>& objects, ObjectName object) {
    if (std::ranges::find(objects, object) == objects.end()) objects.push_back(std::move(object));
}

// The list that a form sends: the objects that stay or come by their boxes and buttons.
Result<std::vector<ObjectName>> objects_in_form(const Form& form) {
    std::vector<ObjectName> objects;
    for (const auto& [name, value] : form.fields) {
        if (name != "object") continue;
        const auto object = check_value(Route::watch, "object", with_plain_lines(value));
        if (!object) return fail(object.error());
        add_once(objects, object_of(*object));
    }
    return objects;
}

// Takes one object into the list in place of another: "Gene:old Gene:new", percent-encoded.
std::optional<HttpError> replace_object(const Form& form, std::vector<ObjectName>& objects) {
    const auto value = form.value("instead");
    if (value.empty()) return std::nullopt;
    std::vector<ObjectName> both;
    for (const auto part : base::split(value, ' ')) {
        const auto object = check_value(
            Route::watch, "object", base::percent_decode(part, base::Plus::literal).value_or(""));
        if (!object) return object.error();
        both.push_back(object_of(*object));
    }
    if (both.size() != 2) return HttpError{400, "instead= must name two objects."};
    std::erase(objects, both.front());
    add_once(objects, std::move(both.back()));
    return std::nullopt;
}

// Adds what was pasted or is in a file. Requires a turn of the wide gate.
std::optional<HttpError> add_pasted(SiteContext& context,
                                    const std::vector<query::PastedLine>& lines, SentList& list) {
    try {
        auto pasted = query::objects_of_pasted(context.history.read_context(), lines,
                                               list.page.get("class"));
        for (auto& object : pasted.objects) add_once(list.objects, std::move(object));
        for (auto& name : pasted.unclear) list.pasted.push_back(std::move(name.text));
        list.left_out += pasted.left_out;
        return std::nullopt;
    } catch (const store::Failure&) {
        return http_error_of({base::ErrorKind::unavailable, "store not reachable"},
                             wanted_list());
    } catch (const query::Busy& busy) {
        return http_error_of({base::ErrorKind::unavailable, busy.what()}, wanted_list());
    }
}

// Moves the objects that are not known to the names that the page asks about.
void ask_about_unknown(SentList& list, std::vector<ObjectName>& objects,
                       const query::HistoryService::Listed& listed) {
    const auto& known = listed.list.objects;
    std::erase_if(objects, [&](const ObjectName& object) {
        if (std::ranges::binary_search(known, object, {}, &query::Named::object)) return false;
        if (std::ranges::binary_search(listed.unreadable, object)) return false;
        list.pasted.push_back(object.class_name + ":" + object.name);
        return true;
    });
}

// Returns whether a further list may be kept. Counts nothing: a list that is refused must not use up what others may keep.
std::optional<HttpError> check_list_rate(SiteContext& context, const std::string& network) {
    const auto now = context.settings.steady_clock();
    if (const auto wait = context.list_makers.time_to_wait(network, now))
        return too_many("Too many new lists were saved from your network today. Use the long "
                        "address of the list, which works as well.",
                        *wait);
    if (const auto wait = context.kept_lists.time_to_wait("", now))
        return too_many("Too many lists were saved on this site just now.", *wait);
    return std::nullopt;
}

void count_new_list(SiteContext& context, const std::string& network) {
    const auto now = context.settings.steady_clock();
    (void)context.list_makers.count_request(network, now);
    (void)context.kept_lists.count_request("", now);
}

// Keeps the list under a short address, and returns the redirection to its page, which asks about the
// names that are not clear and the objects that are not known; or why it can't be kept. Requires a turn of the wide gate.
HttpError kept_at(SiteContext& context, SentList list, const std::string& network) {
    auto objects = std::exchange(list.objects, {});
    if (objects.empty()) return {400, "The list is empty. Choose some objects first."};
    if (objects.size() > most_objects) {
        list.left_out += objects.size() - most_objects;
        objects.resize(most_objects);
    }
    std::ranges::sort(objects);
    const auto listed = context.history.watch_list(objects, {.most = 1, .since = ""});
    if (!listed) return http_error_of(listed.error(), wanted_list());
    objects = recorded_spellings(std::move(objects), listed->list.objects);
    ask_about_unknown(list, objects, *listed);
    const bool is_new = !context.history.kept_list(tables::watch_list_of(objects).id);
    if (is_new)
        if (auto refused = check_list_rate(context, network)) return *std::move(refused);
    const auto id = context.history.keep_list(std::move(objects));
    if (id) {
        if (is_new) count_new_list(context, network);
        list.page = list.page.at("/watch/" + *id);
        return {303, "The list is saved at this short address.", std::move(list).url()};
    }
    if (id.error().kind == base::ErrorKind::too_large)
        return {413,
                "The names in this list are too long for a short address, which has room for " +
                    std::to_string(tables::longest_watch_list / 1024) +
                    " KB. Split it into two lists."};
    if (id.error().kind == base::ErrorKind::refused) {
        base::log::warning("no room for another watch list",
                           {{"kept", std::to_string(tables::most_watch_lists)},
                            {"remedy", "varve watch-list delete --unused DAYS"}});
        return {507, "This site has no room for another watch list. Use the long address of the "
                     "list, which works as well."};
    }
    if (id.error().kind == base::ErrorKind::conflict)
        return {
            507,
            "This list cannot have a short address. Use its long address, which works as well."};
    return http_error_of(id.error(), wanted_list());
}

}  // namespace

Result<Response> take_watch_form(SiteContext& context, const Request& request, Route) {
    if (auto other_site = check_origin(context, request)) return fail(std::move(*other_site));
    if (request.body_error) return fail(*request.body_error);
    const auto form = parse_form(request.field("content-type"), request.body);
    if (!form) return fail(form.error());
    SentList list;
    auto objects = objects_in_form(*form);
    if (!objects) return fail(std::move(objects.error()));
    list.objects = std::move(*objects);
    if (auto wrong = replace_object(*form, list.objects)) return fail(std::move(*wrong));
    for (const std::string_view name : {"class", "q"}) {
        auto value = check_value(Route::watch, name, std::string(base::trim(form->value(name))));
        if (!value) return fail(std::move(value.error()));
        list.page = list.page.with(name, *std::move(value));
    }
    const auto lines = query::pasted_lines(std::string(form->value("names")) + "\n" +
                                           std::string(form->value("file")));
    const auto is_kept = form->has("keep");
    // Both look up many objects; a list that is only changed is its address.
    if (!lines.empty() || is_kept) {
        const auto admitted = context.wide_gate.admit();
        const auto turn = admitted ? context.wide_gate.wait_for_turn() : base::Gate::Pass();
        if (!turn) return fail(no_turn());
        if (auto wrong = add_pasted(context, lines, list)) return fail(std::move(*wrong));
        if (is_kept)
            return fail(kept_at(context, std::move(list), network_of(request.client_address)));
    }
    return fail({303, "The list is at this address.", std::move(list).url()});
}

}  // namespace serve
