// SPDX-License-Identifier: MIT
#include "render/template_tables.hpp"

#include <algorithm>
#include <array>

namespace render {
namespace {

constexpr std::array everywhere = {
    Known{"language", Is::text},
    Known{"title", Is::text},
    Known{"site_title", Is::text},
    Known{"home_url", Is::url},
    Known{"contact", Is::text},
    Known{"contact_url", Is::url},
    Known{"style_url", Is::url},
    Known{"script_url", Is::url},
    Known{"suggest_url", Is::url},
    Known{"noindex", Is::section},
    Known{"private", Is::section},
    Known{"search_text", Is::text},
    Known{"feeds", Is::section},
    Known{"feed_url", Is::url, "feeds"},
    Known{"feed_type", Is::text, "feeds"},
    Known{"feed_title", Is::text, "feeds"},
    Known{"feed_format", Is::text, "feeds"},
};

constexpr std::array in_layout = {Known{"content", Is::html}};

constexpr std::array in_home = {
    Known{"class_feed_url", Is::url},  Known{"class_options", Is::html},
    Known{"class_name", Is::text},     Known{"searched", Is::section},
    Known{"results", Is::html},        Known{"results_count", Is::text},
    Known{"results_cut", Is::section}, Known{"releases", Is::html},
    Known{"watching", Is::section},    Known{"watched", Is::html},
    Known{"watched_count", Is::text},  Known{"watched_cut", Is::section},
    Known{"found", Is::section},       Known{"opml_url", Is::url},
    Known{"class_alone", Is::section},
};

constexpr std::array in_history = {
    Known{"label", Is::text},
    Known{"name", Is::text},
    Known{"class_name", Is::text},
    Known{"other_name", Is::text},
    Known{"object_url", Is::url},
    Known{"watch_url", Is::url},
    Known{"watch_name", Is::text},
    Known{"current", Is::text},
    Known{"current_url", Is::url},
    Known{"vanished", Is::section},
    Known{"successor", Is::text},
    Known{"successor_url", Is::url},
    Known{"count", Is::text},
    Known{"timeline", Is::html},
    Known{"rows", Is::html},
    Known{"one_release", Is::text},
    Known{"all_url", Is::url},
    Known{"previous_url", Is::url},
    Known{"next_url", Is::url},
    Known{"part", Is::text},
    Known{"older", Is::section},
    Known{"form_url", Is::url},
    Known{"successor_words", Is::text},
    Known{"release_options", Is::html},
    Known{"diff_from", Is::text},
    Known{"diff_to", Is::text},

};

constexpr std::array in_diff = {
    Known{"label", Is::text},      Known{"name", Is::text},        Known{"class_name", Is::text},
    Known{"other_name", Is::text}, Known{"object_url", Is::url},   Known{"history_url", Is::url},
    Known{"form_url", Is::url},    Known{"from", Is::text},        Known{"from_date", Is::text},
    Known{"to", Is::text},         Known{"to_date", Is::text},     Known{"json_url", Is::url},
    Known{"changes", Is::html},    Known{"summary", Is::text},     Known{"same", Is::section},
    Known{"created", Is::section}, Known{"vanished", Is::section}, Known{"previous_url", Is::url},
    Known{"next_url", Is::url},    Known{"part", Is::text},
};

constexpr std::array in_release = {
    Known{"version", Is::text},     Known{"date", Is::text},
    Known{"before", Is::text},      Known{"before_url", Is::url},
    Known{"after", Is::text},       Known{"after_url", Is::url},
    Known{"counts", Is::html},      Known{"mass_changes", Is::html},
    Known{"classes", Is::html},     Known{"form_url", Is::url},
    Known{"class_name", Is::text},  Known{"text", Is::text},
    Known{"narrowed", Is::section}, Known{"release_url", Is::url},
    Known{"entries", Is::html},     Known{"matching", Is::text},
    Known{"shown", Is::text},       Known{"previous_url", Is::url},
    Known{"next_url", Is::url},     Known{"empty", Is::section},
};

constexpr std::array in_error = {Known{"status", Is::text}, Known{"reason", Is::text},
                                 Known{"explanation", Is::text}};

constexpr std::array pages = {
    Template{"layout.mustache", in_layout},   Template{"home.mustache", in_home},
    Template{"history.mustache", in_history}, Template{"diff.mustache", in_diff},
    Template{"release.mustache", in_release}, Template{"error.mustache", in_error},
};

constexpr std::array<std::string_view, 3> partials = {"search.mustache", "subscribe.mustache",
                                                      "parts.mustache"};
constexpr std::array<std::string_view, 3> files = {"style.css", "feed.css", "varve.js"};

}  // namespace

std::span<const Template> page_templates() { return pages; }
std::span<const Known> known_everywhere() { return everywhere; }

bool is_partial(std::string_view file) {
    return std::find(partials.begin(), partials.end(), file) != partials.end();
}
bool is_sent_as_it_is(std::string_view file) {
    return std::find(files.begin(), files.end(), file) != files.end();
}

}  // namespace render
