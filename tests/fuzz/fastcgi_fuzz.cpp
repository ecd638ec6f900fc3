// Records of FastCGI of any bytes: the pieces in which they arrive change nothing, and what is found to
// be a request is one for libfcgi too, whose server answers it. The first byte chooses the pieces.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <string>

#include "fuzz/fuzz.hpp"
#include "serve/fastcgi_records.hpp"
#include "serve/server.hpp"
#include "support/fcgi_client.hpp"
#include "support/temp_dir.hpp"

namespace {

using serve::RequestRecords;

// Returns the records as libfcgi gets them; "more" and "refused" for what is not whole.
std::string records_of(std::string_view bytes, std::size_t size) {
    RequestRecords request;
    auto state = RequestRecords::State::more;
    while (!bytes.empty() && state == RequestRecords::State::more) {
        state = request.read(bytes.substr(0, size));
        bytes.remove_prefix(std::min(bytes.size(), size));
    }
    if (state == RequestRecords::State::more) return "more";
    // A whole request before the end of the bytes would be refused if they came at once.
    if (state == RequestRecords::State::refused || !bytes.empty()) return "refused";
    return request.records();
}

// A server of this process.
class FuzzedServer {
   public:
    FuzzedServer() {
        auto listener = serve::listen_on("unix:" + path_);
        require(listener.has_value());
        auto server = serve::start_fastcgi(std::move(*listener), {.workers = 1}, answer);
        require(server.has_value());
        server_ = std::move(*server);
    }

    void ask(std::string_view records) const {
        const support::FcgiClient peer(path_);
        require(peer.send_raw(records));
        require(peer.receive().has_value());
    }

   private:
    static serve::Response answer(const serve::Request& request) {
        require(request.path.size() <= serve::longest_variables &&
                request.query.size() <= serve::longest_variables);
        return {};
    }

    support::TempDir folder_;
    std::string path_ = (folder_.path() / "s").string();
    std::unique_ptr<serve::Server> server_;
};

}  // namespace

void fuzz(std::string_view bytes) {
    static const FuzzedServer server;
    if (bytes.empty()) return;
    const auto size = 1u + static_cast<std::uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    const auto records = records_of(bytes, bytes.size());
    require(records == records_of(bytes, size));
    if (records != "more" && records != "refused") server.ask(bytes);
}
