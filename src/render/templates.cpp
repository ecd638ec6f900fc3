// SPDX-License-Identifier: MIT
#include "render/templates.hpp"

#include <kainjow/mustache.hpp>
#include <optional>

#include "base/digest.hpp"
#include "render/template_check.hpp"
#include "render/template_tables.hpp"
#include "render/text.hpp"

namespace render {
namespace {

namespace mustache = kainjow::mustache;

std::string escaped(const std::string& text) {
    std::string html;
    html.reserve(text.size() + 16);
    append_html(html, text);
    return html;
}

mustache::data data_of(const Variables& variables);

mustache::data data_of(const Variables::Value& value) {
    // False and not left out: else a section would show what stands around it by this name.
    if (value.is == Is::section ? value.items.empty() : value.text.empty())
        return mustache::data(false);
    if (value.is != Is::section) return mustache::data(value.text);
    mustache::data list(mustache::data::type::list);
    for (const auto& item : value.items) list.push_back(data_of(item));
    return list;
}

mustache::data data_of(const Variables& variables) {
    mustache::data data;
    for (const auto& [name, value] : variables.values()) data[name] = data_of(value);
    return data;
}

// Partials are put in once, here: the library would parse them again at each page.
std::string with_partials(std::string text, const TemplateTexts& texts) {
    while (const auto inclusion = first_inclusion(text))
        text.replace(inclusion->from, inclusion->end - inclusion->from,
                     texts.find(inclusion->name + ".mustache")->second);
    return text;
}

std::optional<std::string> check(const TemplateTexts& texts, const Template& page) {
    const auto& text = texts.find(page.file)->second;
    if (auto finding = check_template(page.file, text, page.known)) return finding;
    auto rest = text;
    while (const auto inclusion = first_inclusion(rest)) {
        const auto partial = texts.find(inclusion->name + ".mustache");
        if (auto finding = check_template(partial->first, partial->second, page.known))
            return finding;
        rest.erase(0, inclusion->end);
    }
    return std::nullopt;
}

bool is_template(std::string_view file) {
    for (const auto& page : page_templates())
        if (page.file == file) return true;
    return is_partial(file) || is_sent_as_it_is(file);
}

base::Result<TemplateTexts> merged(const TemplateTexts& own) {
    auto texts = built_in_templates();
    for (const auto& [name, text] : own) {
        if (!is_template(name))
            return base::fail(base::Kind::malformed,
                              name + ": there is no template of this name");
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
    // render() is no const function, since partials and lambdas that fail leave a message
    // behind. There are none of either, so threads may share these.
    std::map<std::string, std::unique_ptr<mustache::mustache>, std::less<>> pages;
};

base::Result<Templates> Templates::make(const TemplateTexts& own) {
    auto texts = merged(own);
    if (!texts) return tl::unexpected(texts.error());
    auto state = std::make_shared<State>();
    state->texts = std::move(*texts);
    state->digest = digest_of(state->texts);
    for (const auto& page : page_templates()) {
        const std::string file(page.file);
        if (const auto finding = check(state->texts, page))
            return base::fail(base::Kind::malformed, *finding);
        auto compiled =
            std::make_unique<mustache::mustache>(with_partials(state->texts[file], state->texts));
        if (!compiled->is_valid())
            return base::fail(base::Kind::malformed, file + ": " + compiled->error_message());
        compiled->set_custom_escape(escaped);
        state->pages.emplace(file, std::move(compiled));
    }
    return Templates(std::move(state));
}

const std::string& Templates::file(std::string_view name) const {
    return state_->texts.find(name)->second;
}

const std::string& Templates::digest() const { return state_->digest; }

std::string Templates::fill(std::string_view file, const Variables& variables) const {
    std::string page;
    const auto data = data_of(variables);
    const mustache::mustache::render_handler take = [&page](const std::string& piece) {
        page += piece;
    };
    state_->pages.find(file)->second->render(data, take);
    return page;
}

}  // namespace render
