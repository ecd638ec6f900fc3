// SPDX-License-Identifier: MIT
#include "render/templates.hpp"

#include <algorithm>
#include <array>
#include <kainjow/mustache.hpp>
#include <optional>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "render/html.hpp"

namespace render {

// Returns the files of templates/ by name; tools/embed compiles them in.
const std::map<std::string_view, std::string_view>& template_files();

namespace {

namespace mustache = kainjow::mustache;

constexpr auto partials =
    std::to_array<std::string_view>({"search.mustache", "subscribe.mustache", "pager.mustache"});

// One {{…}}.
struct Tag {
    char sigil = ' ';  // '#', '^', '/', '>', '!', '=' or '&'; ' ': a variable
    std::string_view name;
    std::size_t from = 0, end = 0;  // in the text; end is npos if the tag is never closed
};

std::optional<Tag> next_tag(std::string_view text, std::size_t from) {
    Tag tag;
    tag.from = text.find("{{", from);
    if (tag.from == std::string_view::npos) return std::nullopt;
    const std::string_view end = text.substr(tag.from).starts_with("{{{") ? "}}}" : "}}";
    const auto start = tag.from + end.size();
    tag.end = text.find(end, start);
    if (tag.end == std::string_view::npos) return tag;
    tag.name = base::trim(text.substr(start, tag.end - start));
    tag.end += end.size();
    if (!tag.name.empty() &&
        std::string_view("#^/>&!=").find(tag.name.front()) != std::string::npos) {
        tag.sigil = tag.name.front();
        tag.name = base::trim(tag.name.substr(1));
    }
    return tag;
}

// Returns the variables and sections of a built-in template and of its partials.
TemplateNames names_in(std::string_view file) {
    TemplateNames names;
    const auto text = template_files().at(file);
    for (auto tag = next_tag(text, 0); tag; tag = next_tag(text, tag->end)) {
        if (tag->sigil == '>')
            names.merge(names_in(std::string(tag->name) + ".mustache"));
        else if (tag->sigil != '!')
            names.insert(tag->name);
    }
    return names;
}

bool is_partial(std::string_view file) {
    return std::ranges::find(partials, file) != partials.end();
}

// Checks a page, or one of its partials, with what it includes.
//   returns  "history.mustache:12: there is no variable "lable""; nullopt: nothing is wrong
std::optional<std::string> mistake_in(std::string_view file, const TemplateTexts& texts,
                                      const PageTemplate& page) {
    const std::string_view text = texts.find(file)->second;
    for (auto tag = next_tag(text, 0); tag; tag = next_tag(text, tag->end)) {
        const auto at_tag = [&](const std::string& what) {
            const auto line = 1 + std::ranges::count(text.substr(0, tag->from), '\n');
            return std::string(file) + ":" + std::to_string(line) + ": " + what;
        };
        const auto quoted = "\"" + std::string(tag->name) + "\"";
        const auto partial = std::string(tag->name) + ".mustache";
        const bool is_known =
            page.variables.contains(tag->name) || common_variables().contains(tag->name);
        if (tag->end == std::string_view::npos) return at_tag("{{ is never closed");
        if (tag->sigil == '!') continue;
        if (tag->sigil == '=') return at_tag("set-delimiter tags are not supported");
        if (tag->sigil != '>') {
            if (!is_known) return at_tag("there is no variable " + quoted);
            continue;
        }
        if (is_partial(file)) return at_tag("a partial cannot include another one");
        if (!is_partial(partial)) return at_tag("there is no partial " + quoted);
        if (auto mistake = mistake_in(partial, texts, page)) return mistake;
    }
    return std::nullopt;
}

using Fields = std::set<std::string, std::less<>>;

std::string name_of_field(std::string_view variable) {
    return "value of " + std::string(variable);
}

// Returns a template as the library gets it. It escapes a variable wherever it is in the same way, but
// what is the value of a form's field comes back to the server, and is escaped for that.
//   fields  gets the variables that are values of form fields
std::string prepared(std::string_view text, Fields& fields) {
    std::string result;
    std::size_t copied = 0;
    for (auto tag = next_tag(text, 0); tag; tag = next_tag(text, tag->end)) {
        const bool is_escaped = tag->sigil == ' ' && !text.substr(tag->from).starts_with("{{{");
        if (!is_escaped || !text.substr(0, tag->from).ends_with("value=\"")) continue;
        fields.emplace(tag->name);
        result.append(text, copied, tag->from - copied) +=
            "{{{" + name_of_field(tag->name) + "}}}";
        copied = tag->end;
    }
    return result.append(text, copied);
}

mustache::data data_of(const Variables& variables, const Fields& fields);

mustache::data data_of(const Variables::Value& value, const Fields& fields) {
    // If an empty value were left out, a section would find one of this name around it.
    if (value.is_section ? value.items.empty() : value.text.empty()) return mustache::data(false);
    if (!value.is_section) return mustache::data(value.text);
    mustache::data list(mustache::data::type::list);
    for (const auto& item : value.items) list.push_back(data_of(item, fields));
    return list;
}

mustache::data data_of(const Variables& variables, const Fields& fields) {
    mustache::data data;
    for (const auto& [name, value] : variables.values()) {
        data[name] = data_of(value, fields);
        if (!fields.contains(name) || value.is_section) continue;
        data[name_of_field(name)] = mustache::data(as_html_value(value.text));
    }
    return data;
}

}  // namespace

struct Templates::State {
    TemplateTexts texts;
    std::string digest;
    // render() is not const, because partials and lambdas that fail leave a message. The partials were
    // checked, and there are no lambdas, so threads may share these.
    std::map<std::string, std::unique_ptr<mustache::mustache>, std::less<>> pages;
    std::map<std::string, std::string> partials;  // by the name in {{> name}}, as prepared()
    Fields fields;                                // of all of them
};

std::span<const PageTemplate> page_templates() {
    static const auto pages = [] {
        std::vector<PageTemplate> all;
        for (const auto& [file, text] : template_files()) {
            if (!file.ends_with(".mustache") || is_partial(file)) continue;
            auto names = names_in(file);
            for (const auto name : common_variables()) names.erase(name);
            all.push_back({file, std::move(names)});
        }
        return all;
    }();
    return pages;
}

const TemplateNames& common_variables() {
    static const auto names = [] {
        auto all = names_in("layout.mustache");
        all.erase("content");
        all.merge(names_in("search.mustache"));
        all.merge(names_in("subscribe.mustache"));
        all.insert(
            "feed_address");  // for templates that need whole URLs; the built-in ones do not
        return all;
    }();
    return names;
}

base::Result<Templates> Templates::make(const TemplateTexts& own) {
    auto state = std::make_shared<State>();
    auto& texts = state->texts;
    texts.insert(template_files().begin(), template_files().end());
    for (const auto& [file, text] : own) {
        if (!texts.contains(file))
            return base::fail(base::ErrorKind::malformed,
                              file + ": there is no template with this name");
        texts[file] = text;
    }
    for (const auto& page : page_templates())
        if (const auto mistake = mistake_in(page.file, texts, page))
            return base::fail(base::ErrorKind::malformed, *mistake);
    base::Digest digest(base::Algorithm::sha256);
    for (const auto& [file, text] : texts) {
        digest.update(file + ":" + std::to_string(text.size()) + ":");
        digest.update(text);
        if (!file.ends_with(".mustache")) continue;
        const auto for_library = prepared(text, state->fields);
        auto compiled = std::make_unique<mustache::mustache>(for_library);
        if (!compiled->is_valid())
            return base::fail(base::ErrorKind::malformed,
                              file + ": " + compiled->error_message());
        compiled->set_custom_escape(&as_html);
        if (is_partial(file))
            state->partials.emplace(file.substr(0, file.find('.')), for_library);
        else
            state->pages.emplace(file, std::move(compiled));
    }
    state->digest = digest.hex().substr(0, 32);
    return Templates(std::move(state));
}

const std::string& Templates::file(std::string_view name) const {
    return state_->texts.find(name)->second;
}

const std::string& Templates::digest() const { return state_->digest; }

std::string Templates::fill(std::string_view file, const Variables& variables) const {
    std::string page;
    auto data = data_of(variables, state_->fields);
    for (const auto& [name, text] : state_->partials) data[name] = mustache::data(text);
    const mustache::mustache::render_handler take = [&page](const std::string& piece) {
        page += piece;
    };
    state_->pages.find(file)->second->render(data, take);
    return page;
}

}  // namespace render
