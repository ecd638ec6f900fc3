// SPDX-License-Identifier: MIT
#include "render/html.hpp"

#include <cassert>

namespace render {
namespace {

constexpr std::size_t end_tag_size(std::string_view element) { return element.size() + 3; }

}  // namespace

bool Html::has_room(std::size_t bytes) {
    if (text_.size() + kept_ + bytes > most_) full_ = true;
    return !full_;
}

bool Html::add(std::string_view markup) {
    if (!has_room(markup.size())) return false;
    text_ += markup;
    return true;
}

bool Html::open(std::string_view element, std::string_view markup) {
    assert(markup.starts_with('<'));
    if (!has_room(markup.size() + end_tag_size(element))) return false;
    text_ += markup;
    kept_ += end_tag_size(element);
    open_.push_back(element);
    return true;
}

void Html::close() {
    assert(!open_.empty());
    kept_ -= end_tag_size(open_.back());
    text_ += "</";
    text_ += open_.back();
    text_ += '>';
    open_.pop_back();
}

}  // namespace render
