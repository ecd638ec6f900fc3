// SPDX-License-Identifier: MIT
#include "source/acedb/models.hpp"

#include <algorithm>
#include <deque>
#include <set>

#include "base/text.hpp"
#include "source/acedb/command.hpp"
#include "source/acedb/reply.hpp"

namespace source::acedb {
namespace {

using base::Kind;
using base::Result;

// WormBase has some 250.
constexpr std::size_t most_models = 10'000;
constexpr std::size_t largest_model = std::size_t{8} << 20;

bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           c == '_' || c == '-';
}

Result<std::string> ask_model(Database& database, const std::string& identity,
                              const std::string& name) {
    std::string text;
    const auto done = database.with_session(identity, [&](Session& session) -> Result<void> {
        const auto reply =
            session.ask(model_command(name), {.most_bytes = largest_model, .gently = true});
        if (!reply) return tl::unexpected(reply.error());
        text = model_text(*reply);
        return {};
    });
    // Array classes have none.
    if (!done && done.error().kind == Kind::refused && database.status()) return std::string();
    if (!done) return base::fail_at("model of " + name, done.error());
    return text;
}

}  // namespace

std::vector<std::string> hashes_in(std::string_view model) {
    std::vector<std::string> hashes;
    for (auto line : base::split(model, '\n')) {
        line = line.substr(0, line.find("//"));
        for (auto at = line.find('#'); at != std::string_view::npos;
             at = line.find('#', at + 1)) {
            const auto rest = line.substr(at + 1);
            const auto* const end = std::find_if_not(rest.begin(), rest.end(), is_word);
            std::string word(rest.begin(), end);
            if (!word.empty() && std::find(hashes.begin(), hashes.end(), word) == hashes.end())
                hashes.push_back(std::move(word));
        }
    }
    return hashes;
}

Result<std::string> ask_models(Database& database, const std::string& identity,
                               const std::vector<std::string>& classes) {
    std::string all;
    std::set<std::string> asked;  // folded
    std::deque<std::string> left(classes.begin(), classes.end());
    while (!left.empty()) {
        const auto name = std::move(left.front());
        left.pop_front();
        if (name.size() > tree::longest_class || !asked.insert(base::fold_ascii(name)).second)
            continue;
        if (asked.size() > most_models)
            return base::fail(Kind::malformed, database.name() + ": more than " +
                                                   std::to_string(most_models) + " models");
        const auto text = ask_model(database, identity, name);
        if (!text) return tl::unexpected(text.error());
        for (auto& hash : hashes_in(*text)) left.push_back(std::move(hash));
        all += *text;
        if (!all.ends_with('\n')) all += '\n';
    }
    return all;
}

}  // namespace source::acedb
