// SPDX-License-Identifier: MIT
#include "app/source_config.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include "app/config_values.hpp"

namespace app {
namespace {

using base::Result;

constexpr std::array<std::pair<std::string_view, SourceKind>, 3> kinds = {
    {{"dump", SourceKind::dump}, {"server", SourceKind::server}, {"tace", SourceKind::tace}}};

std::string_view name_of(SourceKind kind) {
    return std::ranges::find(kinds, kind, &std::pair<std::string_view, SourceKind>::second)
        ->first;
}

// Which kinds have a key that not all of them have.
struct Fitting {
    std::string_view key;
    bool dump, server, tace;

    [[nodiscard]] bool has(SourceKind kind) const {
        return kind == SourceKind::dump ? dump : kind == SourceKind::server ? server : tace;
    }
    [[nodiscard]] std::string names() const {
        std::string names;
        for (const auto& [name, kind] : kinds)
            if (has(kind)) (names += names.empty() ? "" : " or ") += name;
        return names;
    }
};

constexpr auto fittings = std::to_array<Fitting>({{"path", true, false, true},
                                                  {"host", false, true, false},
                                                  {"port", false, true, false},
                                                  {"user", false, true, false},
                                                  {"password_file", false, true, false},
                                                  {"program", false, false, true},
                                                  {"release", false, true, true},
                                                  {"date", false, true, true},
                                                  {"timeout", false, true, true},
                                                  {"connections", false, true, true}});

}  // namespace

Result<SourceKind> source_kind_of(std::string_view value) {
    const auto* const it =
        std::ranges::find(kinds, value, &std::pair<std::string_view, SourceKind>::first);
    if (it != kinds.end()) return it->second;
    return wrong("\"" + std::string(value) + "\" is none of dump, server, tace");
}

Result<void> check_source_keys(const Draft& draft) {
    const auto kind = draft.config.source.kind;
    for (const auto& fitting : fittings) {
        const auto place = "[source] " + std::string(fitting.key);
        if (draft.seen.contains(place) && !fitting.has(kind))
            return wrong(place + ": is of kind = " + fitting.names() + ", and kind is " +
                         std::string(name_of(kind)));
    }
    if (kind != SourceKind::server && !draft.seen.contains("[source] path"))
        return wrong("[source] path: missing, and required with kind = " +
                     std::string(name_of(kind)));
    return {};
}

Result<void> read_source_password(Draft& draft) {
    const auto& file = draft.config.source.password_file;
    if (file.empty()) return {};
    constexpr std::string_view place = "[source] password_file: ";
    std::error_code unknown;  // what can't be looked at can't be read
    std::ifstream in(file, std::ios::binary);
    std::string line;
    if (!in || std::filesystem::is_directory(file, unknown))
        return base::fail(base::Kind::unavailable,
                          std::string(place) + "can't read " + file.string());
    std::getline(in, line);
    if (line.ends_with('\r')) line.pop_back();
    if (line.find('\0') != std::string::npos)
        return wrong(std::string(place) + file.string() + " holds a NUL, which no password has");
    draft.config.source.server.password = std::move(line);
    return {};
}

}  // namespace app
