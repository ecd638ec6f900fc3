// SPDX-License-Identifier: MIT
#include "render/site.hpp"

#include <algorithm>
#include <utility>

namespace render {

PageSite::PageSite(Site site) : Site(std::move(site)) {
    const auto host = base_url.find("://");
    if (host != std::string::npos)
        links_from = std::min(base_url.find('/', host + 3), base_url.size());
}

}  // namespace render
