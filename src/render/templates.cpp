// SPDX-License-Identifier: MIT
#include "render/templates.hpp"

#include <algorithm>
#include <array>
#include <kainjow/mustache.hpp>
#include <optional>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "render/markup.hpp"

namespace render {

// Returns the files of templates/ by name; tools/embed compiles them in.
const std::map<std::string_view, std::string_view>& template_files();

namespace {

namespace mustache = kainjow::mustache;

constexpr auto partials =
    std::to_array<std::string_view>({"search.mustache", "subscribe.mustache", "parts.mustache"});

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

// Says what is wrong with a tag of `file`; nullopt: nothing.
std::optional<std::string> mistake_in(const Tag& tag, std::string_view file,
                                      const PageTemplate& page) {
    const auto quoted = [&tag] { return " \"" + std::string(tag.name) + "\""; };
    if (tag.end == std::string_view::npos) return "{{ is never closed";
    if (tag.sigil == '!') return std::nullopt;
    if (tag.sigil == '=') return "set-delimiter tags are not supported";
    if (tag.sigil == '>') {
        if (is_partial(file)) return "a partial cannot include another one";
        if (!is_partial(std::string(tag.name) + ".mustache"))
            return "there is no partial" + quoted();
        return std::nullopt;
    }
    if (page.variables.contains(tag.name) || common_variables().contains(tag.name))
        return std::nullopt;
    return "there is no variable" + quoted();
}

// Checks a page or one of its partials, and calls `found` with each partial that it includes.
//   returns  "history.mustache:12: there is no variable "lable""
template <class Found>
std::optional<std::string> check(std::string_view file, std::string_view text,
                                 const PageTemplate& page, Found found) {
    std::size_t at = 0;
    while (const auto tag = next_tag(text, at)) {
        if (const auto mistake = mistake_in(*tag, file, page)) {
            const auto before = text.substr(0, tag->from);
            const auto line = 1 + std::ranges::count(before, '\n');
            return std::string(file) + ":" + std::to_string(line) + ": " + *mistake;
        }
        if (tag->sigil == '>') found(*tag);
        at = tag->end;
    }
    return std::nullopt;
}

// Returns the text of a page with its partials inserted: the library would parse them again for
// each page.
base::Result<std::string> whole_text(const PageTemplate& page, const TemplateTexts& texts) {
    const std::string_view text = texts.find(page.file)->second;
    std::string whole;
    std::size_t copied = 0;
    std::optional<std::string> mistake_in_partial;
    const auto insert = [&](const Tag& tag) {
        const auto& [file, partial] = *texts.find(std::string(tag.name) + ".mustache");
        if (!mistake_in_partial)
            mistake_in_partial = check(file, partial, page, [](const Tag&) {});
        whole.append(text, copied, tag.from - copied) += partial;
        copied = tag.end;
    };
    const auto mistake = check(page.file, text, page, insert);
    if (mistake_in_partial) return base::fail(base::ErrorKind::malformed, *mistake_in_partial);
    if (mistake) return base::fail(base::ErrorKind::malformed, *mistake);
    return whole.append(text, copied);
}

std::string escaped(const std::string& text) {
    std::string html;
    html.reserve(text.size() + 16);
    append_html(html, text);
    return html;
}

using Fields = std::set<std::string, std::less<>>;

// A template as the library gets it. It escapes a variable wherever it is in the same way, but what is
// the value of a form's field comes back to the server, and is escaped for that.
struct Prepared {
    std::string text;
    Fields fields;  // variables that are values of form fields
};

std::string name_of_field(const std::string& variable) { return "value of " + variable; }

Prepared prepared(std::string_view text) {
    constexpr std::string_view before = "value=\"";
    Prepared result;
    std::size_t copied = 0;
    for (auto tag = next_tag(text, 0); tag; tag = next_tag(text, tag->end)) {
        const bool is_escaped = tag->sigil == ' ' && !text.substr(tag->from).starts_with("{{{");
        if (!is_escaped || !text.substr(0, tag->from).ends_with(before)) continue;
        const auto& variable = *result.fields.emplace(tag->name).first;
        result.text.append(text, copied, tag->from - copied) +=
            "{{{" + name_of_field(variable) + "}}}";
        copied = tag->end;
    }
    result.text.append(text, copied);
    return result;
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
        std::string html;
        append_html_value(html, value.text);
        data[name_of_field(name)] = mustache::data(html);
    }
    return data;
}

base::Result<TemplateTexts> merged(const TemplateTexts& own) {
    TemplateTexts texts(template_files().begin(), template_files().end());
    for (const auto& [name, text] : own) {
        if (!texts.contains(name))
            return base::fail(base::ErrorKind::malformed,
                              name + ": there is no template with this name");
        texts[name] = text;
    }
    return texts;
}

std::string digest_of(const TemplateTexts& texts) {
    base::Digest digest(base::Algorithm::sha256);
    for (const auto& [name, text] : texts) {
        digest.update(name + ":" + std::to_string(text.size()) + ":");
        digest.update(text);
    }
    return digest.hex().substr(0, 32);
}

}  // namespace

struct Templates::State {
    TemplateTexts texts;
    std::string digest;
    // render() is not const, because partials and lambdas that fail leave a message. There are
    // none of either, so threads may share these.
    struct Page {
        std::unique_ptr<mustache::mustache> compiled;
        Fields fields;  // Prepared::fields
    };
    std::map<std::string, Page, std::less<>> pages;
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
    auto texts = merged(own);
    if (!texts) return tl::unexpected(texts.error());
    auto state = std::make_shared<State>();
    state->texts = std::move(*texts);
    state->digest = digest_of(state->texts);
    for (const auto& page : page_templates()) {
        const auto text = whole_text(page, state->texts);
        if (!text) return tl::unexpected(text.error());
        auto [for_library, fields] = prepared(*text);
        auto compiled = std::make_unique<mustache::mustache>(for_library);
        if (!compiled->is_valid())
            return base::fail(base::ErrorKind::malformed,
                              std::string(page.file) + ": " + compiled->error_message());
        compiled->set_custom_escape(escaped);
        state->pages.emplace(page.file, State::Page{std::move(compiled), std::move(fields)});
    }
    return Templates(std::move(state));
}

const std::string& Templates::file(std::string_view name) const {
    return state_->texts.find(name)->second;
}

const std::string& Templates::digest() const { return state_->digest; }

std::string Templates::fill(std::string_view file, const Variables& variables) const {
    std::string page;
    const auto& [compiled, fields] = state_->pages.find(file)->second;
    const mustache::mustache::render_handler take = [&page](const std::string& piece) {
        page += piece;
    };
    compiled->render(data_of(variables, fields), take);
    return page;
}

}  // namespace render
