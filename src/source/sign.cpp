// SPDX-License-Identifier: MIT
#include "source/sign.hpp"

#include <algorithm>
#include <fcntl.h>

#include "source/ace_object.hpp"
#include "source/dump/ace_reader.hpp"

namespace source {
namespace {

std::string_view first_line(std::string_view bytes) { return bytes.substr(0, bytes.find('\n')); }

tl::unexpected<base::Error> fail_in(const std::string& path, const dump::DumpObject& object,
                                    const Fault& fault) {
    const auto before = object.bytes.substr(0, fault.at);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    return base::fail(
        fault.kind, path + ":" + std::to_string(object.line + static_cast<std::uint64_t>(lines)) +
                        ": " + std::string(first_line(object.bytes)) + ": " + fault.what);
}

}  // namespace

base::Result<std::uint64_t> sign_file(const std::string& path, std::size_t most_bytes,
                                      const std::function<void(const Signed&)>& visit) {
    const auto file = open_file(AT_FDCWD, path);
    if (!file) return tl::unexpected(file.error());
    dump::AceReader reader(*file, path, most_bytes, dump::Digests::no);
    Signer signer;
    for (std::uint64_t objects = 0;; ++objects) {
        const auto next = reader.next();
        if (!next) return tl::unexpected(next.error());
        if (!*next) return objects;
        const auto& object = **next;
        if (!object.is_whole)
            return fail_in(path, object, {base::Kind::too_large, 0, "is too large to be signed"});
        const auto signature = signer.sign(object.bytes);
        if (!signature) return fail_in(path, object, signature.error());
        visit({object.offset, first_line(object.bytes), *signature});
    }
}

}  // namespace source
