// Records of FastCGI of any bytes: the pieces in which they arrive change nothing, and what is found to
// be a request is one for libfcgi too, whose server answers it. The first byte chooses the pieces.
// SPDX-License-Identifier: MIT
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "fuzz/fuzz.hpp"
#include "serve/fastcgi.hpp"
#include "serve/fastcgi_records.hpp"

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

// A server of this process, on a socket in a folder of its own.
class FuzzedServer {
   public:
    FuzzedServer() {
        std::string folder = "/tmp/fastcgi_fuzz.XXXXXX";
        require(::mkdtemp(folder.data()) != nullptr);
        std::strncpy(address_.sun_path, (folder + "/s").c_str(), sizeof address_.sun_path - 1);
        auto listener = serve::listen_on("unix:" + std::string(address_.sun_path));
        require(listener.has_value());
        auto server = serve::FastcgiServer::start(std::move(*listener), {.workers = 1}, answer);
        require(server.has_value());
        server_ = std::move(*server);
    }
    ~FuzzedServer() {
        server_.reset();
        std::filesystem::remove_all(std::filesystem::path(address_.sun_path).parent_path());
    }

    void ask(std::string_view records) const {
        const base::Descriptor peer(::socket(AF_UNIX, SOCK_STREAM, 0));
        require(::connect(peer.number(), reinterpret_cast<const sockaddr*>(&address_),
                          sizeof address_) == 0);
        while (!records.empty()) {
            const auto sent = ::send(peer.number(), records.data(), records.size(), MSG_NOSIGNAL);
            require(sent > 0);
            records.remove_prefix(static_cast<std::size_t>(sent));
        }
        char first = 0;
        require(::recv(peer.number(), &first, 1, MSG_WAITALL) == 1);
    }

   private:
    static serve::Response answer(const serve::Request& request) {
        require(request.path.size() <= serve::longest_variables &&
                request.query.size() <= serve::longest_variables);
        return {};
    }

    sockaddr_un address_{.sun_family = AF_UNIX, .sun_path = {}};
    std::unique_ptr<serve::FastcgiServer> server_;
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
