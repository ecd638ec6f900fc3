// serve/feed_source.hpp -- the rows and the words of the feed that a query names.
// For this room only. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "history/history.hpp"
#include "render/feed.hpp"
#include "serve/feed_query.hpp"
#include "serve/http.hpp"
#include "serve/workings.hpp"

namespace serve {

// One document that is asked for.
struct Asking {
    FeedQuery query;
    const render::Format& format;
    bool to_browser = false;  // which is to show XML with its stylesheet
    // The same bytes under the same tag: what they are called is no part of them.
    [[nodiscard]] std::string content_type() const {
        return std::string(to_browser ? "application/xml" : format.media_type) +
               "; charset=utf-8";
    }
};

struct Loaded {
    history::Excerpt excerpt;
    render::Subject subject;
    bool up_to_date = true;  // false: something is as it was recorded last
};

//   window  of the rows, in place of the query's
//   error   301 to the recorded spelling; 400, 404, 500, 503 as refusal_of() says
[[nodiscard]] Answered<Loaded> load(Workings& workings, const FeedQuery& query,
                                    const history::Window& window);

[[nodiscard]] render::Channel channel_of(const Workings& workings, const Asking& asking,
                                         const render::Subject& subject);

// Strong, in the coding identity: of the rows by what they are, not of the bytes, so that the
// tags of earlier states can be computed too.
[[nodiscard]] std::string feed_tag_of(const Workings& workings, const Asking& asking,
                                      const history::Excerpt& excerpt,
                                      const render::Channel& channel);

}  // namespace serve
