// SPDX-License-Identifier: MIT
#include "release/tally.hpp"

#include <array>
#include <nlohmann/json.hpp>

namespace release {
namespace {

using Json = nlohmann::json;

struct Count {
    const char* name;
    std::uint64_t Tally::* member;
};
constexpr std::array counts{
    Count{"looked_at", &Tally::looked_at}, Count{"compared", &Tally::compared},
    Count{"unchanged", &Tally::unchanged}, Count{"new", &Tally::added},
    Count{"changed", &Tally::changed},     Count{"vanished", &Tally::vanished},
    Count{"failed", &Tally::failed},       Count{"bytes", &Tally::bytes},
    Count{"withdrawn", &Tally::withdrawn},
};

Tally tally_from(const Json& json) {
    Tally tally;
    for (const auto& [name, member] : counts) tally.*member = json.at(name).get<std::uint64_t>();
    for (const auto& each : json.at("failures"))
        tally.failures.push_back(
            {{each.at("class").get<std::string>(), each.at("name").get<std::string>()},
             each.at("reason").get<std::string>()});
    return tally;
}

}  // namespace

void Tally::note(const history::Brought& brought) {
    using history::Fate;
    if (brought.fate == Fate::absent) return;
    ++looked_at;
    if (brought.fate == Fate::compared) ++compared;
    if (brought.fate == Fate::unchanged) ++unchanged;
    if (brought.fate == Fate::added) ++added;
    if (brought.fate == Fate::changed) ++changed;
    if (brought.fate == Fate::vanished) ++vanished;
    if (brought.fate == Fate::failed) {
        ++failed;
        if (failures.size() < most_failures) failures.push_back({brought.object, brought.reason});
    }
}

void Tally::add(const Tally& other) {
    for (const auto& [name, member] : counts) this->*member += other.*member;
    for (const auto& failure : other.failures)
        if (failures.size() < most_failures) failures.push_back(failure);
}

std::string to_json(const Tally& tally) {
    Json json;
    for (const auto& [name, member] : counts) json[name] = tally.*member;
    json["failures"] = Json::array();
    for (const auto& [object, reason] : tally.failures)
        json["failures"].push_back(
            {{"class", object.class_name}, {"name", object.name}, {"reason", reason}});
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

base::Result<Tally> tally_from_json(std::string_view text) {
    try {
        return tally_from(Json::parse(text));
    } catch (const Json::exception& error) {
        return base::fail(base::Kind::malformed,
                          std::string("the result of a part is no tally: ") + error.what());
    }
}

}  // namespace release
