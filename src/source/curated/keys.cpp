// SPDX-License-Identifier: MIT
#include "source/curated/keys.hpp"

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace source::curated {
namespace {

// Of a text or key beside its bytes: the string, its place in the table.
constexpr std::size_t overhead = 96;

}  // namespace

Number Texts::add(std::string_view bytes) {
    if (bytes.empty()) return 0;
    if (!base::is_legal_text(bytes)) return add(base::legal_text(bytes));
    if (const auto known = numbers_.find(bytes); known != numbers_.end()) return known->second;
    const auto number = add_long(bytes);
    numbers_.emplace(texts_[number], number);
    return number;
}

Number Texts::add_long(std::string_view bytes) {
    if (bytes.empty()) return 0;
    texts_.push_back(base::is_legal_text(bytes) ? std::string(bytes) : base::legal_text(bytes));
    bytes_ += texts_.back().size() + overhead;
    return static_cast<Number>(texts_.size() - 1);
}

std::string_view trimmed_name(std::string_view name) {
    const auto first = name.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return name.substr(first, name.find_last_not_of(" \t") + 1 - first);
}

std::string Names::folded(std::string_view class_name, std::string_view name) {
    auto text = base::fold_ascii(class_name);
    text += '\0';
    return text += base::fold_ascii(name);
}

std::string Names::folded(Number key) const { return folded(class_of(key), name_of(key)); }

Number Names::add(std::string_view class_name, std::string_view name) {
    const auto text = texts_.add(trimmed_name(name));
    const auto next = static_cast<Number>(keys_.size());
    const auto [known, is_new] = numbers_.try_emplace(folded(class_name, texts_.at(text)), next);
    if (!is_new) return known->second;
    keys_.push_back({texts_.add(class_name), text, 0});
    shortcuts_.emplace_back();
    bytes_ += known->first.size() + overhead;
    return next;
}

Number Names::find(std::string_view class_name, std::string_view name) const {
    const auto legal = base::legal_text(trimmed_name(name));
    const auto known = numbers_.find(folded(class_name, legal));
    return known == numbers_.end() ? 0 : known->second;
}

Number Names::resolved(Number key) const {
    auto last = key;
    while (keys_[last].alias_of != 0) last = next(last);
    while (key != last) {
        const auto following = next(key);
        shortcuts_[key] = {last, drops_};
        key = following;
    }
    return last;
}

Number Names::next(Number key) const {
    const auto& shortcut = shortcuts_[key];
    const bool holds = shortcut.to != 0 && shortcut.drops == drops_;
    return holds ? shortcut.to : keys_[key].alias_of;
}

const std::string& Names::name_of(Number key) const { return texts_.at(keys_[key].name); }
const std::string& Names::class_of(Number key) const { return texts_.at(keys_[key].class_name); }

void Names::rename(Number key, std::string_view name) {
    numbers_.erase(folded(key));
    keys_[key].name = texts_.add(trimmed_name(name));
    auto text = folded(key);
    bytes_ += text.size();
    numbers_.emplace(std::move(text), key);
}

void Names::make_alias(Number key, Number target, OldName old_name) {
    if (old_name == OldName::forget) numbers_.erase(folded(key));
    keys_[key].alias_of = resolved(target);
}

}  // namespace source::curated
