// SPDX-License-Identifier: MIT
#include "render/difference_json.hpp"

#include "render/item.hpp"

namespace render {
namespace {

std::string_view kind_of(const query::Difference& difference) {
    if (!difference.was_there) return "created";
    if (!difference.is_there) return "vanished";
    return difference.changes.empty() ? "unchanged" : "changed";
}

}  // namespace

std::string difference_json(const query::Difference& difference, const Site& site) {
    std::string json = "{\"class\":";
    append_json_text(json, difference.object.class_name);
    append_json_text(json += ",\"name\":", difference.object.name);
    append_json_text(json += ",\"from\":", difference.from.version);
    append_json_text(json += ",\"to\":", difference.to.version);
    append_json_text(json += ",\"kind\":", kind_of(difference));
    json += ",\"changes\":[";
    for (const auto& change : difference.changes) {
        if (&change != &difference.changes.front()) json += ',';
        append_change_json(json, change, site);
    }
    return json + "]}\n";
}

}  // namespace render
