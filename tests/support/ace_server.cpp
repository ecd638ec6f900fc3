// SPDX-License-Identifier: MIT
#include "support/ace_server.hpp"

#include "support/ace_client.hpp"

namespace support {

struct AceServer::State : AceShared {
    std::uint16_t port = 0;
    std::unique_ptr<HttpPeer> peer;
};

AceServer::AceServer(std::shared_ptr<const AceContents> contents, AceServerSettings settings)
    : state_(std::make_unique<State>()) {
    state_->contents = std::move(contents);
    state_->port = settings.port;
    state_->settings = std::move(settings);
    start();
}

AceServer::~AceServer() = default;

std::uint16_t AceServer::port() const { return state_->port; }

void AceServer::start() {
    if (state_->peer) return;
    const auto serve = [shared = state_.get()](PeerConnection& connection) {
        AceClient(connection, *shared).serve();
    };
    state_->peer = std::make_unique<HttpPeer>(serve, "127.0.0.1", state_->port);
    state_->port = state_->peer->port();
}

void AceServer::stop() { state_->peer.reset(); }

void AceServer::drop_clients() {
    stop();
    start();
}

void AceServer::strike(AceFault fault, int times) {
    const std::lock_guard lock(state_->mutex);
    state_->fault = fault;
    state_->times = times;
}

void AceServer::publish(std::shared_ptr<const AceContents> contents, const std::string& name,
                        const std::string& last_save) {
    {
        const std::lock_guard lock(state_->mutex);
        state_->contents = std::move(contents);
        state_->settings.name = name;
        state_->settings.last_save = last_save;
    }
    drop_clients();
}

std::size_t AceServer::logins() const {
    const std::lock_guard lock(state_->mutex);
    return state_->logins;
}

std::size_t AceServer::clients() const {
    return state_->peer ? state_->peer->open_connections() : 0;
}

std::vector<std::string> AceServer::commands() const {
    const std::lock_guard lock(state_->mutex);
    return state_->commands;
}

}  // namespace support
