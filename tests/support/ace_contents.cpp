// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "support/ace_commands.hpp"
#include "support/temp_dir.hpp"

namespace support {
namespace {

std::string_view line_at(std::string_view text, std::size_t at) {
    return text.substr(at, text.find('\n', at) - at);
}

// Returns the end of the line that begins there.
std::size_t next_line(std::string_view text, std::size_t at) {
    const auto end = text.find('\n', at);
    return end == std::string_view::npos ? text.size() : end + 1;
}

constexpr std::string_view long_text_end = "***LongTextEnd***";

// Returns the end of the object that begins at `at`: its blank line, or after the terminator.
std::size_t end_of_object(std::string_view text, std::size_t at) {
    const bool is_long_text = text.substr(at, 9) == "LongText ";
    while (at < text.size()) {
        const auto line = line_at(text, at);
        if (!is_long_text && line.empty()) return at;
        at = next_line(text, at);
        if (is_long_text && line == long_text_end) return at;
    }
    return at;
}

AceContents::Object object_of(std::string_view bytes) {
    const auto colon = bytes.find(" : ");
    const auto quote = bytes.find('"');
    if (colon == std::string_view::npos || quote == std::string_view::npos)
        throw std::runtime_error("no header: " + std::string(line_at(bytes, 0)));
    auto at = quote + 1;
    auto name = ace_unquoted(bytes, at);
    return {std::string(bytes.substr(0, colon)), std::move(name), std::string(bytes)};
}

constexpr std::string_view banner = " // Class ";

void read_dump(AceContents& contents, std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto line = line_at(text, at);
        if (line.substr(0, banner.size()) == banner)
            contents.classes.emplace_back(
                line.substr(banner.size(), line.find_last_not_of(' ') + 1 - banner.size()));
        if (line.empty() || line.substr(0, 3) == " //") {
            at = next_line(text, at);
            continue;
        }
        const auto end = end_of_object(text, at);
        contents.objects.push_back(object_of(text.substr(at, end - at)));
        at = end;
    }
}

// Adds what a database has and a dump lacks, so that a client that takes it for content is found.
void add_kernel(AceContents& contents) {
    const auto add = [&](const std::string& class_name, const std::string& name) {
        contents.kernel.push_back(
            {class_name, name, class_name + " : " + ace_quoted(name) + "\n"});
    };
    for (const auto* each : {"1", "2", "3", "4"}) add("Session", each);
    for (const auto& each : contents.classes) add("Class", each);
    for (const auto& each : contents.models) add("Model", "?" + each.first);
    for (const auto* each : {"muscle", "neuron"}) add("Keyword", each);
    for (const auto* each : {"two words", "He said: \"50%", "with a newline\ninside it"})
        add("Text", each);
}

// Returns it without the comments and blank lines before the next model.
std::string trimmed_model(std::string_view text) {
    while (!text.empty()) {
        const auto last = text.rfind('\n', text.size() - 2);
        const auto begin = last == std::string_view::npos ? 0 : last + 1;
        const auto line = line_at(text, begin);
        const bool is_blank = line.find_first_not_of(" \t") == std::string_view::npos;
        if (!is_blank && line.substr(0, 2) != "//") break;
        text = text.substr(0, begin);
    }
    return std::string(text);
}

bool begins_model(std::string_view line) {
    return line.size() > 1 && (line[0] == '?' || line[0] == '#');
}

void read_models(AceContents& contents, std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto line = line_at(text, at);
        auto end = next_line(text, at);
        if (begins_model(line)) {
            while (end < text.size() && !begins_model(line_at(text, end)))
                end = next_line(text, end);
            const std::string name(line.substr(1, line.find_first_of(" \t") - 1));
            contents.models.emplace(name, trimmed_model(text.substr(at, end - at)));
        }
        at = end;
    }
}

// True for words like -XREF and -Protected, which may be abbreviated.
bool forbids_dumping(std::string_view option) {
    return option.size() > 1 && option[0] == '-' &&
           std::string_view("xXpP").find(option[1]) != std::string_view::npos;
}

}  // namespace

AceContents AceContents::of_text(const std::string& dump) {
    AceContents contents;
    read_dump(contents, dump);
    add_kernel(contents);
    return contents;
}

std::string AceContents::dump() const {
    std::string text;
    for (const auto& class_name : classes) {
        if (std::find(undumped.begin(), undumped.end(), class_name) != undumped.end()) continue;
        (((text += "\n\n") += banner) += class_name) += " \n\n";
        for (const auto& object : objects)
            if (object.class_name == class_name) (text += object.bytes) += '\n';
    }
    return text + "\n\n // End of this dump file \n\n";
}

void AceContents::add_options(const std::string& options) {
    std::istringstream lines(options);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string class_name;
        words >> class_name;
        if (class_name.substr(0, 2) != "_V") continue;
        const bool is_undumped =
            std::any_of(std::istream_iterator<std::string>(words), {},
                        [](const auto& word) { return forbids_dumping(word); });
        if (is_undumped) undumped.push_back(class_name.substr(2));
    }
}

AceContents AceContents::of_dump(const std::string& dump_file, const std::string& models_file) {
    const auto beside = std::filesystem::path(dump_file).parent_path() / "models.wrm";
    AceContents contents;
    read_dump(contents, read_file(dump_file));
    if (!models_file.empty()) {
        read_models(contents, read_file(models_file));
    } else if (std::filesystem::exists(beside)) {
        read_models(contents, read_file(beside));
    }
    const auto options = std::filesystem::path(dump_file).replace_filename("options.wrm");
    if (std::filesystem::exists(options)) contents.add_options(read_file(options));
    add_kernel(contents);
    return contents;
}

const AceContents::Object& object_at(const AceContents& contents, std::size_t entry) {
    if (entry < contents.objects.size()) return contents.objects[entry];
    return contents.kernel.at(entry - contents.objects.size());
}

}  // namespace support
