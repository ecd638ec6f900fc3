// serve/site.hpp -- a site: from a request to its response, whichever protocol carries them.
// docs/protocols.md describes the responses, field by field.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "render/site.hpp"
#include "render/templates.hpp"
#include "serve/context.hpp"
#include "serve/http.hpp"

namespace serve {

class Site {
   public:
    Site(const Services& services, render::Site site, render::Templates templates,
         Settings settings);
    ~Site();

    // Returns the response to a request. Never throws: a failure becomes a 5xx with a short page
    // and a line in the log.
    [[nodiscard]] Response answer(const Request& request);

   private:
    std::unique_ptr<SiteContext> context_;
};

}  // namespace serve
