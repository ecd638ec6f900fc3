// SPDX-License-Identifier: MIT
#include "serve/form.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace serve {

namespace {

constexpr std::size_t longest_boundary = 70;       // RFC 2046, section 5.1.1
constexpr std::size_t longest_part_header = 2048;  // bytes, of all lines
constexpr std::size_t longest_field_name = 32;     // that of a longer one is none of ours
constexpr std::string_view line_end = "\r\n";

tl::unexpected<HttpError> no_form() { return fail(400, "The request body is not a valid form."); }

// Adds a field, whose value may be a file that somebody made with any program.
std::optional<HttpError> add_field(Form& form, std::string name, std::string value) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (form.fields.size() == most_form_fields)
        return HttpError{400, "The form has more than " + std::to_string(most_form_fields) +
                                  " fields."};
    if (value.starts_with(byte_order_mark)) value.erase(0, byte_order_mark.size());
    if (!base::is_legal_text(value))
        return HttpError{
            400,
            "The names are not plain text in UTF-8. Save the file as text with UTF-8 encoding."};
    form.fields.push_back({std::move(name), std::move(value)});
    return std::nullopt;
}

Result<Form> parse_urlencoded(std::string_view body) {
    Form form;
    if (body.empty()) return form;
    for (const auto part : base::split(body, '&')) {
        const auto [raw_name, raw_value] = halves_of(part, '=');
        auto name = base::percent_decode(raw_name, base::Plus::is_space);
        auto value = base::percent_decode(raw_value, base::Plus::is_space);
        if (!name || !value) return no_form();
        if (name->empty() || name->size() > longest_field_name) continue;
        if (auto error = add_field(form, std::move(*name), std::move(*value)))
            return fail(std::move(*error));
    }
    return form;
}

// Returns the value of a parameter of a field: boundary of 'multipart/form-data; boundary="x"'. As
// browsers write them: a quoted value contains no quote.
std::optional<std::string_view> parameter_of(std::string_view field, std::string_view name) {
    while (true) {
        const auto semicolon = field.find(';');
        if (semicolon == std::string_view::npos) return std::nullopt;
        field = base::trim(field.substr(semicolon + 1));
        const auto equals = field.find('=');
        if (equals == std::string_view::npos) return std::nullopt;
        const bool is_wanted = base::equal_ignoring_case(field.substr(0, equals), name);
        field.remove_prefix(equals + 1);
        std::string_view value;
        if (field.starts_with('"')) {
            const auto end = field.find('"', 1);
            if (end == std::string_view::npos) return std::nullopt;
            value = field.substr(1, end - 1);
            field.remove_prefix(end + 1);
        } else {
            value = base::trim(field.substr(0, field.find(';')));
        }
        if (is_wanted) return value;
    }
}

// Returns the name of the field in the header of its part; nullopt: it is none of a form.
std::optional<std::string> name_in(std::string_view header) {
    constexpr std::string_view disposition = "content-disposition:";
    while (!header.empty()) {
        const auto end = std::min(header.find(line_end), header.size());
        const auto line = header.substr(0, end);
        header.remove_prefix(std::min(end + line_end.size(), header.size()));
        if (!base::fold_ascii(line.substr(0, disposition.size())).starts_with(disposition))
            continue;
        const auto value = base::trim(line.substr(disposition.size()));
        if (!base::fold_ascii(value).starts_with("form-data")) return std::nullopt;
        const auto name = parameter_of(value, "name");
        return name ? std::optional(std::string(*name)) : std::nullopt;
    }
    return std::nullopt;
}

Result<Form> parse_multipart(std::string_view boundary, std::string_view body) {
    if (boundary.empty() || boundary.size() > longest_boundary) return no_form();
    const auto delimiter = std::string(line_end) + "--" + std::string(boundary);
    Form form;
    // The first delimiter begins the body; what may stand before it, browsers do not send.
    if (!body.starts_with(std::string_view(delimiter).substr(line_end.size()))) return no_form();
    body.remove_prefix(delimiter.size() - line_end.size());
    while (!body.starts_with("--")) {
        if (!body.starts_with(line_end)) return no_form();
        body.remove_prefix(line_end.size());
        const auto header = body.substr(0, body.substr(0, longest_part_header).find("\r\n\r\n"));
        if (header.size() >= std::min(body.size(), longest_part_header)) return no_form();
        body.remove_prefix(header.size() + 2 * line_end.size());
        const auto end = body.find(delimiter);
        auto name = name_in(header);
        if (end == std::string_view::npos || !name) return no_form();
        if (!name->empty() && name->size() <= longest_field_name)
            if (auto error = add_field(form, std::move(*name), std::string(body.substr(0, end))))
                return fail(std::move(*error));
        body.remove_prefix(end + delimiter.size());
    }
    return form;
}

}  // namespace

std::string_view Form::value(std::string_view name) const {
    const auto found = std::ranges::find(fields, name, &FormField::name);
    return found == fields.end() ? std::string_view() : std::string_view(found->value);
}

bool Form::has(std::string_view name) const {
    return std::ranges::find(fields, name, &FormField::name) != fields.end();
}

Result<Form> parse_form(std::string_view content_type, std::string_view body) {
    const auto type = base::trim(content_type.substr(0, content_type.find(';')));
    if (base::equal_ignoring_case(type, "application/x-www-form-urlencoded"))
        return parse_urlencoded(body);
    if (base::equal_ignoring_case(type, "multipart/form-data"))
        return parse_multipart(parameter_of(content_type, "boundary").value_or(""), body);
    return fail(415, "Send the list as a form: application/x-www-form-urlencoded or "
                     "multipart/form-data.");
}

}  // namespace serve
