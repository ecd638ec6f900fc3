// serve/site.hpp -- a site: from a request to its response, whichever protocol carries them.
// docs/protocols.md describes the responses, field by field.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "hub/topic.hpp"
#include "render/site.hpp"
#include "render/templates.hpp"
#include "serve/context.hpp"
#include "serve/http.hpp"

namespace serve {

class Site {
   public:
    Site(const Services& services, render::Site site, render::Templates templates,
         Settings settings)
        : context_(services, std::move(site), std::move(templates), std::move(settings)) {}

    // Returns the response to a request. Never throws: a failure becomes a 5xx with a short page
    // and a line in the log.
    [[nodiscard]] Response answer(const Request& request);

    // Returns what a topic of the hub has that `since` had not, as hub::ReadNews says; brings an object up to
    // date first, like a request for its feed.
    // Never throws.
    //   error  absent: there is no such feed any more, or it has another address; unavailable, also while
    //          the site is rolled back to a release that does not have it
    [[nodiscard]] base::Result<std::optional<hub::FeedNews>> news(const hub::Topic& topic,
                                                                  std::string_view since);
    // Returns whether a subscriber may read the feeds of the site, as hub::MayRead says: everybody those of a
    // public one.
    [[nodiscard]] base::Result<bool> may_read(std::string_view token_digest);

   private:
    SiteContext context_;
};

}  // namespace serve
