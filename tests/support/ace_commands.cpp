// SPDX-License-Identifier: MIT
#include "support/ace_commands.hpp"

#include <algorithm>
#include <iomanip>
#include <span>
#include <sstream>
#include <strings.h>

namespace support {
namespace {

AceReply whole(std::string text) { return {{std::move(text)}, false, false}; }

bool is_same(std::string_view a, std::string_view b) { return compare_names(a, b) == 0; }

// Returns every object of a class, or those with a matching name, in the order in which AceDB
// shows them.
std::vector<std::size_t> found(const AceContents& contents, const std::string& class_name,
                               const std::string* pattern) {
    std::vector<std::size_t> result;
    const auto count = contents.objects.size() + contents.kernel.size();
    for (std::size_t i = 0; i < count; ++i) {
        const auto& object = object_at(contents, i);
        if (!matches(object.class_name, class_name)) continue;
        if (!pattern || matches(object.name, *pattern)) result.push_back(i);
    }
    std::stable_sort(result.begin(), result.end(), [&](std::size_t a, std::size_t b) {
        return compare_names(object_at(contents, a).name, object_at(contents, b).name) < 0;
    });
    return result;
}

bool is_named(const AceContents::Object& object, const std::string& name) {
    return ::strcasecmp(object.name.c_str(), name.c_str()) == 0;
}

// AceDB looks for the very name before it takes it for a pattern: `?` finds only the object `?`
// where there is one. It cuts the words of a name twice where a backslash is before a quote or at
// the end: `\` and `\"` both lead to the object `"`.
std::vector<std::size_t> found_by_name(const AceContents& contents, const std::string& class_name,
                                       std::string name) {
    if (name == "\\" || name == "\\\"") name = "\"";
    auto result = found(contents, class_name, &name);
    const auto exact = [&](std::size_t each) {
        return is_named(object_at(contents, each), name);
    };
    if (std::ranges::any_of(result, exact))
        std::erase_if(result, [&](std::size_t each) { return !exact(each); });
    return result;
}

bool is_class_name(const std::string& word) {
    return !word.empty() && word.find_first_of("*?") == std::string::npos;
}

// More than one word after the class is not a name, as recorded.
AceReply find(AceAsked& asked) {
    const auto& words = asked.words;
    asked.active.clear();
    std::string complaint;
    if (asked.has_parameter) complaint = "// Parameter %0 can not be substituted\n";
    if (!asked.has_parameter && words.size() > 1 && words.size() < 4 && is_class_name(words[1])) {
        const auto* pattern = words.size() == 3 ? &words[2] : nullptr;
        asked.active = pattern ? found_by_name(asked.contents, words[1], *pattern)
                               : found(asked.contents, words[1], nullptr);
    }
    return whole(complaint + "\n// Found " + std::to_string(asked.active.size()) +
                 " objects in this class\n" + active_objects(asked));
}

// Kernel classes first, then those of the dump; empty ones are left out.
AceReply classes(AceAsked& asked) {
    std::ostringstream text;
    text << "These are the known classes and the number of objects in each class\n";
    std::vector<std::string> names = {"Session", "Class", "Model", "Text", "Keyword"};
    names.insert(names.end(), asked.contents.classes.begin(), asked.contents.classes.end());
    for (const auto& name : names) {
        const auto count = found(asked.contents, name, nullptr).size();
        if (count > 0) text << std::setw(35) << name << " " << count << "\n";
    }
    return whole(text.str() + active_objects(asked));
}

// The reply to a model that isn't there was not recorded.
AceReply model(AceAsked& asked) {
    const auto name = asked.words.size() > 1 ? asked.words[1] : std::string();
    for (const auto& [each, text] : asked.contents.models)
        if (is_same(each, name)) return whole(text + active_objects(asked));
    return whole("// No model of " + name + "\n" + active_objects(asked));
}

AceReply no_such_keyword(const AceAsked& asked) {
    const auto word = asked.words.empty() ? std::string() : asked.words[0];
    return {{"// Keyword " + word + " does not match\n" + active_objects(asked)}, true, false};
}

// Frames the objects of a reply.
AceReply of_objects(const AceAsked& asked, std::vector<std::string> pieces,
                    const std::string& before, const std::string& after) {
    if (pieces.empty()) pieces.emplace_back();
    pieces.front().insert(0, before);
    pieces.back() += after + active_objects(asked);
    return {std::move(pieces), false, false};
}

AceReply empty_list(const AceAsked& asked) {
    return whole("// Active list is empty\n" + active_objects(asked));
}

// show -a -T [-b FIRST -c COUNT]
AceReply show(AceAsked& asked) {
    if (asked.active.empty()) return empty_list(asked);
    const auto& words = asked.words;
    const bool is_part = words.size() == 7 && words[3] == "-b" && words[5] == "-c";
    if (words.size() < 3 || words[1] != "-a" || words[2] != "-T" ||
        (words.size() > 3 && !is_part))
        return no_such_keyword(asked);
    const auto begin = is_part ? std::min(std::stoul(words[4]), asked.active.size()) : 0;
    auto objects = std::span(asked.active).subspan(begin);
    if (is_part) objects = objects.first(std::min(std::stoul(words[6]), objects.size()));
    std::vector<std::string> pieces;
    for (const auto each : objects)
        pieces.push_back(object_at(asked.contents, each).bytes + "\n");
    return of_objects(asked, std::move(pieces), "\n",
                      "// " + std::to_string(objects.size()) +
                          (objects.size() == 1 ? " object dumped\n" : " objects dumped\n"));
}

// list -a; "object listed", whatever the number.
AceReply list(AceAsked& asked) {
    if (asked.active.empty()) return empty_list(asked);
    if (asked.words.size() != 2 || asked.words[1] != "-a") return no_such_keyword(asked);
    std::vector<std::string> pieces;
    for (const auto each : asked.active) {
        const auto& object = object_at(asked.contents, each);
        pieces.push_back(object.class_name + " : " + ace_quoted(object.name) + "\n");
    }
    return of_objects(asked, std::move(pieces), "\nKeySet : Answer_1\n",
                      "\n\n// " + std::to_string(asked.active.size()) + " object listed\n");
}

// AcePerl asks so before it goes.
AceReply quit(AceAsked& /*asked*/) { return {{"// A bientot"}, false, true}; }

using Answer = AceReply (*)(AceAsked&);

const std::map<std::string, Answer>& keywords() {
    static const std::map<std::string, Answer> table = {
        {"classes", classes}, {"find", find}, {"list", list},           {"model", model},
        {"quit", quit},       {"show", show}, {"status", answer_status}};
    return table;
}

}  // namespace

std::string active_objects(const AceAsked& asked) {
    return "// " + std::to_string(asked.active.size()) + " Active Objects\n";
}

AceReply ace_reply(const AceContents& contents, const AceServerSettings& settings,
                   std::vector<std::size_t>& active, std::string_view command) {
    const auto cut = words_of(command);
    AceAsked asked{contents, settings, active, cut.words, cut.has_parameter};
    for (const auto& [keyword, answer] : keywords())
        if (!asked.words.empty() && is_same(keyword, asked.words[0])) return answer(asked);
    return no_such_keyword(asked);
}

}  // namespace support
