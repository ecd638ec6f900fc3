// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdlib>

#include "support/ace_commands.hpp"
#include "support/ace_rows.hpp"

namespace support {
namespace {

// Words of `show` and `list`.
struct Options {
    bool java = false;
    AceForm form{false, ""};
    std::size_t begin = 0, count = static_cast<std::size_t>(-1);
    bool is_known = true;
};

Options options_of(const std::vector<std::string>& words) {
    Options options;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const auto& word = words[i];
        const bool has_value = i + 1 < words.size();
        if (word == "-a" || word == "-j") {
            options.java = word == "-j";
        } else if (word == "-T") {
            options.form.stamped = true;
        } else if (word == "-b" && has_value) {
            options.begin = std::strtoul(words[++i].c_str(), nullptr, 10);
        } else if (word == "-c" && has_value) {
            options.count = std::strtoul(words[++i].c_str(), nullptr, 10);
        } else if (word == "-t" && has_value) {
            options.form.tag = words[++i];
        } else if (word[0] == '-') {
            options.is_known = false;
        } else {
            options.form.tag = word;
        }
    }
    return options;
}

std::vector<std::size_t> chosen(const AceAsked& asked, const Options& options) {
    const auto begin = std::min(options.begin, asked.active.size());
    const auto count = std::min(options.count, asked.active.size() - begin);
    const auto first = asked.active.begin() + static_cast<long>(begin);
    return {first, first + static_cast<long>(count)};
}

AceReply empty_list(const AceAsked& asked) {
    return {{"// Active list is empty\n" + active_objects(asked)}, false, false};
}

}  // namespace

AceReply answer_show(AceAsked& asked) {
    if (asked.active.empty()) return empty_list(asked);
    const auto options = options_of(asked.words);
    if (!options.is_known) return no_such_keyword(asked, asked.words[0]);
    AceReply reply;
    const auto objects = chosen(asked, options);
    for (const auto each : objects) {
        const auto& object = object_at(asked.contents, each);
        reply.pieces.push_back(options.java ? java_form(asked.contents, object, options.form)
                                            : ace_form(asked.contents, object, options.form));
    }
    if (reply.pieces.empty()) reply.pieces.emplace_back();
    reply.pieces.front().insert(0, "\n");
    reply.pieces.back() += "// " + std::to_string(objects.size()) +
                           (objects.size() == 1 ? " object dumped\n" : " objects dumped\n") +
                           active_objects(asked);
    return reply;
}

// "object listed", whatever the number.
AceReply answer_list(AceAsked& asked) {
    if (asked.active.empty()) return empty_list(asked);
    const auto options = options_of(asked.words);
    if (!options.is_known) return no_such_keyword(asked, asked.words[0]);
    AceReply reply;
    const auto objects = chosen(asked, options);
    for (const auto each : objects) {
        const auto& object = object_at(asked.contents, each);
        reply.pieces.push_back(
            options.java ? "?" + object.class_name + "?" + java_escaped(object.name) + "?\n"
                         : object.class_name + " : " + ace_quoted(object.name) + "\n");
    }
    if (reply.pieces.empty()) reply.pieces.emplace_back();
    reply.pieces.front().insert(0, "\nKeySet : Answer_1\n");
    reply.pieces.back() +=
        "\n\n// " + std::to_string(objects.size()) + " object listed\n" + active_objects(asked);
    return reply;
}

}  // namespace support
