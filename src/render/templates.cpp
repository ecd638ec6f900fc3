// SPDX-License-Identifier: MIT
#include "render/templates.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "render/html.hpp"
#include "render/markup.hpp"
#include "render/variables.hpp"

namespace render {

// Returns the files of templates/ by name; tools/embed compiles them in.
const std::map<std::string_view, std::string_view>& template_files();

namespace {

namespace mustache = kainjow::mustache;

constexpr auto partials = std::to_array<std::string_view>(
    {"search.mustache", "results.mustache", "subscribe.mustache", "pager.mustache"});
constexpr std::string_view template_suffix = ".mustache", field_prefix = "value of ";

bool is_partial(std::string_view file) {
    return std::ranges::find(partials, file) != partials.end();
}

// One {{…}}.
struct Tag {
    char sigil = ' ';  // '#', '^', '/', '>', '!', '=' or '&'; ' ': a variable
    std::string_view name;
    std::size_t from = 0, end = 0;  // in the text
};

// Returns nullopt if no tag follows that is closed. The library refuses others.
std::optional<Tag> next_tag(std::string_view text, std::size_t from) {
    Tag tag;
    tag.from = text.find("{{", from);
    if (tag.from == std::string_view::npos) return std::nullopt;
    const std::string_view end = text.substr(tag.from).starts_with("{{{") ? "}}}" : "}}";
    const auto start = tag.from + end.size();
    tag.end = text.find(end, start);
    if (tag.end == std::string_view::npos) return std::nullopt;
    tag.name = base::trim(text.substr(start, tag.end - start));
    tag.end += end.size();
    if (!tag.name.empty() &&
        std::string_view("#^/>&!=").find(tag.name.front()) != std::string::npos) {
        tag.sigil = tag.name.front();
        tag.name = base::trim(tag.name.substr(1));
    }
    return tag;
}

// Returns "history.mustache:12: there is no variable "lable""; nullopt: nothing is wrong.
std::optional<std::string> mistake_in(std::string_view file, std::string_view text) {
    const auto mistake_of = [&](const Tag& tag) -> std::string {
        const auto quoted = "\"" + std::string(tag.name) + "\"";
        if (tag.sigil == '!') return {};
        if (tag.sigil == '=') return "set-delimiter tags are not supported";
        if (tag.sigil != '>')
            return template_variables().contains(tag.name) ? ""
                                                           : "there is no variable " + quoted;
        if (is_partial(file)) return "a partial cannot include another one";
        return is_partial(std::string(tag.name).append(template_suffix))
                   ? ""
                   : "there is no partial " + quoted;
    };
    for (auto tag = next_tag(text, 0); tag; tag = next_tag(text, tag->end))
        if (const auto mistake = mistake_of(*tag); !mistake.empty()) {
            const auto line = 1 + std::ranges::count(text.substr(0, tag->from), '\n');
            return std::string(file) + ":" + std::to_string(line) + ": " + mistake;
        }
    return std::nullopt;
}

// Returns whether no element can be where a text ends: in a tag, or in an element that has text alone.
bool ends_without_elements(std::string_view text) {
    const auto tag = text.substr(std::min(text.rfind('<'), text.size()));
    const auto has_start = [&](std::string_view start) {
        return base::equal_ignoring_case(tag.substr(0, start.size()), start);
    };
    return !tag.empty() && (tag.find('>') == std::string_view::npos || has_start("<title") ||
                            has_start("<option") || has_start("<textarea"));
}

// Returns a template as the library gets it. It escapes a variable wherever it is in the same way, as the text of an
// element; Context escapes what is none.
std::string prepared(std::string_view text) {
    std::string result;
    std::size_t copied = 0;
    for (auto tag = next_tag(text, 0); tag; tag = next_tag(text, tag->end)) {
        const bool is_escaped = tag->sigil == ' ' && !text.substr(tag->from).starts_with("{{{");
        if (!is_escaped || !ends_without_elements(text.substr(0, tag->from))) continue;
        result.append(text, copied, tag->from - copied).append("{{{").append(field_prefix);
        result.append(tag->name) += "}}}";
        copied = tag->end;
    }
    return result.append(text, copied);
}

using Partials = std::map<std::string, mustache::data, std::less<>>;

// Finds the values of variables and the partials while a template is filled.
class Context : public mustache::context<std::string> {
   public:
    Context(const Variables& variables, const Partials& known)
        : context(&variables.data()), partials_(known) {}

    const mustache::data* get(const std::string& name) const override {
        if (!name.starts_with(field_prefix)) return context::get(name);
        const auto* found = context::get(name.substr(field_prefix.size()));
        if (found == nullptr || !found->is_string()) return nullptr;
        std::string value;
        append_html_value(value, found->string_value());
        field_ = mustache::data(value);
        return &field_;
    }
    const mustache::data* get_partial(const std::string& name) const override {
        return &partials_.find(name)->second;
    }

   private:
    const Partials& partials_;
    mutable mustache::data field_;  // the last one
};

}  // namespace

struct Templates::State {
    TemplateTexts texts;
    std::string digest;
    // render() is not const, because partials and lambdas that fail leave a message. The partials were
    // checked, and there are no lambdas, so threads may share these.
    std::map<std::string, std::unique_ptr<mustache::mustache>, std::less<>> pages;
    Partials partials;  // by the name in {{> name}}, as prepared()
};

const std::set<std::string_view>& template_variables() {
    static const auto names = [] {
        // For templates that need whole URLs; the built-in ones do not.
        std::set<std::string_view> all = {"feed_address"};
        for (const auto& [file, text] : template_files())
            for (auto tag = next_tag(text, 0); tag && file.ends_with(template_suffix);
                 tag = next_tag(text, tag->end))
                if (tag->sigil != '>' && tag->sigil != '!') all.insert(tag->name);
        return all;
    }();
    return names;
}

base::Result<Templates> Templates::make(const TemplateTexts& own) {
    const auto fail = [](const std::string& text) {
        return base::fail(base::ErrorKind::malformed, text);
    };
    auto state = std::make_shared<State>();
    auto& texts = state->texts;
    texts.insert(template_files().begin(), template_files().end());
    for (const auto& [file, text] : own) {
        if (!texts.contains(file)) return fail(file + ": there is no template with this name");
        texts[file] = text;
    }
    base::Digest digest(base::Algorithm::sha256);
    for (const auto& [file, text] : texts) {
        digest.update(file + ":" + std::to_string(text.size()) + ":");
        digest.update(text);
        if (!file.ends_with(template_suffix)) continue;
        if (const auto mistake = mistake_in(file, text)) return fail(*mistake);
        const auto for_library = prepared(text);
        auto compiled = std::make_unique<mustache::mustache>(for_library);
        if (!compiled->is_valid()) return fail(file + ": " + compiled->error_message());
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
    Context context(variables, state_->partials);
    return state_->pages.find(file)->second->render(context);
}

}  // namespace render
