// SPDX-License-Identifier: MIT
#include "serve/delta.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "base/date.hpp"
#include "base/text.hpp"
#include "serve/gzip.hpp"
#include "serve/representation.hpp"

namespace serve {

namespace {

using Rows = std::vector<history::Row>;

Rows::iterator at(Rows& rows, std::size_t index) {
    return rows.begin() + static_cast<std::ptrdiff_t>(index);
}

// The states that a document was in before the newest rows were there. Rows are lent to a state
// and given back: they may hold a lot.
class States {
   public:
    States(history::Excerpt all, std::size_t most)
        : all_(std::move(all)), most_(most), state_(all_) {
        state_.rows.clear();
    }

    // Whether all rows are loaded that the document showed before the first `skip` of them.
    [[nodiscard]] bool knows(std::size_t skip) const {
        return skip + std::min(most_, all_.recorded - skip) <= all_.rows.size();
    }

    // What `look` makes of the document as it was before the first `skip` rows.
    template <class F>
    auto look(std::size_t skip, F&& look) {
        const auto count = std::min(most_, all_.rows.size() - skip);
        const auto begin = at(all_.rows, skip), end = at(all_.rows, skip + count);
        state_.rows.assign(std::make_move_iterator(begin), std::make_move_iterator(end));
        state_.recorded = all_.recorded - skip;
        keep_mass_changes_of_rows();
        auto made = look(std::as_const(state_));
        std::move(state_.rows.begin(), state_.rows.end(), begin);
        return made;
    }

    // How many rows are of the newest 1, 2, … releases: ascending.
    [[nodiscard]] std::vector<std::size_t> rows_of_newest() const {
        const auto& rows = all_.rows;
        std::vector<std::size_t> counts;
        for (std::size_t i = 1; i <= rows.size() && counts.size() < most_releases_back; ++i)
            if (i == rows.size() || rows[i].release.version != rows[i - 1].release.version)
                counts.push_back(i);
        return counts;
    }

    // The first `count` rows, of the whole document: it is not complete, and its archive is that
    // of the feed.
    [[nodiscard]] history::Excerpt newest(std::size_t count) && {
        all_.rows.resize(std::min({count, most_, all_.rows.size()}));
        return std::move(all_);
    }

   private:
    // As the history gives them with these rows alone.
    void keep_mass_changes_of_rows() {
        state_.mass_changes.clear();
        for (const auto& each : all_.mass_changes)
            if (std::any_of(state_.rows.begin(), state_.rows.end(), [&](const auto& row) {
                    return row.release.version == each.version &&
                           row.object.class_name == each.class_name;
                }))
                state_.mass_changes.push_back(each);
    }

    history::Excerpt all_;
    std::size_t most_;
    history::Excerpt state_;
};

// How many of the rows a reader has not yet, by a tag that it names; nullopt: not known.
std::optional<std::size_t> newer_rows(
    States& states, std::string_view tags,
    const std::function<std::string(const history::Excerpt&)>& tag_of) {
    for (const auto skip : states.rows_of_newest()) {
        if (!states.knows(skip)) return std::nullopt;
        const auto tag = states.look(skip, tag_of);
        // In whichever coding it came.
        if (names_tag(tags, tag) || names_tag(tags, tag_in(tag, Coding::gzip))) return skip;
    }
    return std::nullopt;
}

Response answer_newer(std::string document, const Asking& asking, Coding coding) {
    Response response;
    response.status = 226;
    response.fields = {{"IM", "feed"},
                       {"Cache-Control", "no-store, im"},
                       {"Content-Type", asking.content_type()},
                       {"X-Content-Type-Options", "nosniff"}};
    if (coding == Coding::gzip) {
        response.fields.emplace_back("Content-Encoding", "gzip");
        document = gzip(document);
    }
    response.body = std::make_shared<const std::string>(std::move(document));
    return response;
}

Response nothing_newer(const Workings& workings) {
    Response response;
    response.status = 304;
    response.fields = {{"Cache-Control", cache_control(workings.settings.max_age, false)}};
    return response;
}

}  // namespace

bool offers_delta(const FeedQuery& query) {
    return !query.is_archive() &&
           (query.of == FeedQuery::Of::object || query.of == FeedQuery::Of::watch_list);
}

bool wants_delta(const Request& request) {
    const auto tags = base::trim(request.field("if-none-match"));
    return !tags.empty() && tags != "*" && accepts_delta(request.field("a-im"));
}

std::optional<Response> newer_items(Workings& workings, const Request& request,
                                    const Asking& asking, Coding coding,
                                    const std::string& vary) {
    auto window = asking.query.window;
    window.most += most_releases_back;
    auto loaded = load(workings, asking.query, window);
    if (!loaded || !loaded->up_to_date) return std::nullopt;
    const auto channel = channel_of(workings, asking, loaded->subject);
    const auto tag_of = [&](const history::Excerpt& state) {
        return feed_tag_of(workings, asking, state, channel);
    };
    States states(std::move(loaded->excerpt), asking.query.window.most);
    const auto tag = states.look(0, tag_of);
    const auto last_modified = states.look(0, render::last_modified);
    const auto tags = request.field("if-none-match");
    // The reader may be ahead of the page that is kept, which may be a minute old.
    const bool has_all = names_tag(tags, tag_in(tag, coding));
    const auto newer = has_all ? std::optional<std::size_t>(0) : newer_rows(states, tags, tag_of);
    if (!newer) return std::nullopt;

    auto response = has_all ? nothing_newer(workings)
                            : answer_newer(asking.format.render(std::move(states).newest(*newer),
                                                                channel, workings.look),
                                           asking, coding);
    response.fields.emplace_back("ETag", tag_in(tag, coding));
    response.fields.emplace_back("Last-Modified", base::format_http_date(last_modified));
    response.fields.emplace_back("Vary", vary);
    return response;
}

}  // namespace serve
