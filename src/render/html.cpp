// SPDX-License-Identifier: MIT
#include "render/html.hpp"

#include <cassert>

namespace render {
void Html::close() {
    assert(!open_.empty());
    kept_ -= end_tag_size(open_.back());
    text_ += "</";
    text_ += open_.back();
    text_ += '>';
    open_.pop_back();
}

}  // namespace render
