// SPDX-License-Identifier: MIT
#include "feed/feed.hpp"

namespace feed {

std::string_view name_of(Format format) {
    switch (format) {
        case Format::rss: return "RSS";
        case Format::rdf: return "RDF";
        case Format::atom: return "Atom";
        case Format::json: break;
    }
    return "JSON Feed";
}

}  // namespace feed
