// SPDX-License-Identifier: MIT
#include "source/import/object_lines.hpp"

#include "source/dump/json_lines.hpp"

namespace source::import {

base::Result<JsonLinesWriter> JsonLinesWriter::create(const std::string& path) {
    auto file = NewFile::create(path);
    if (!file) return tl::unexpected(file.error());
    return JsonLinesWriter(std::move(*file));
}

base::Result<Entry> JsonLinesWriter::add(const tree::Object& object) {
    constexpr std::size_t block = 1 << 20;
    if (pending_.size() > block)
        if (auto done = flush(); !done) return tl::unexpected(done.error());
    const auto begin = pending_.size();
    dump::append_json_line(pending_, object);
    Entry entry;
    entry.offset = written_ + begin;
    entry.length = pending_.size() - begin - 1;  // without the LF
    entry.digest = XXH3_128bits(pending_.data() + begin, entry.length);
    return entry;
}

base::Result<void> JsonLinesWriter::flush() {
    if (auto done = file_.write(pending_); !done) return tl::unexpected(done.error());
    written_ += pending_.size();
    pending_.clear();
    return {};
}

base::Result<std::uint64_t> JsonLinesWriter::put_in_place() {
    if (auto done = flush(); !done) return tl::unexpected(done.error());
    if (auto done = file_.put_in_place(); !done) return tl::unexpected(done.error());
    return written_;
}

}  // namespace source::import
