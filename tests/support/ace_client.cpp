// SPDX-License-Identifier: MIT
#include "support/ace_client.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

namespace support {
namespace {

constexpr auto ok = "ACESERV_MSGOK", fail = "ACESERV_MSGFAIL", killed = "ACESERV_MSGKILL",
               encore = "ACESERV_MSGENCORE";

// Returns the text of a body without its NULs.
std::string body_of(const AceRequest& request) { return request.frame.body.c_str(); }

// Returns the seconds that saceserver 4.9.62 takes for a command with a reply of that size: find
// and show were measured together, 0.2 ms for 7 KB, 0.4 ms for 42 KB, 20 ms for 1.2 MB.
std::chrono::duration<double> pace_of(std::size_t bytes) {
    constexpr double small = 7e3, medium = 42e3, large = 1.2e6;
    const auto size = static_cast<double>(bytes);
    const double beyond_small = std::clamp(size, small, medium) - small;
    const double beyond_medium = std::max(size, medium) - medium;
    return std::chrono::duration<double>(0.1e-3 + 0.2e-3 * beyond_small / (medium - small) +
                                         19.6e-3 * beyond_medium / (large - medium));
}

// Uses the processor, as AceDB does.
void wait_as_acedb(std::chrono::steady_clock::time_point since, std::size_t bytes) {
    while (std::chrono::steady_clock::now() - since < pace_of(bytes)) {
    }
}

std::string terminated(const std::string& connection) {
    return "// Sorry, " + connection + " connection has been terminated.";
}

std::string text_of(const std::vector<std::string>& pieces) {
    return std::accumulate(pieces.begin(), pieces.end(), std::string());
}

bool may_strike(AceFault fault, AceMoment moment) {
    switch (fault) {
        case AceFault::none: return false;
        case AceFault::silent_login: return moment == AceMoment::hello;
        case AceFault::unsolicited_kill: return moment == AceMoment::behind_login;
        case AceFault::another_object: return moment == AceMoment::show;
        default: return moment == AceMoment::show || moment == AceMoment::other_answer;
    }
}

}  // namespace

AceFault AceShared::fault_at(AceMoment moment) {
    const std::lock_guard lock(mutex);
    if (times == 0 || !may_strike(fault, moment)) return AceFault::none;
    --times;
    return fault;
}

AceClient::AceClient(PeerConnection& connection, AceShared& shared)
    : connection_(connection), shared_(shared) {
    const std::lock_guard lock(shared.mutex);
    number_ = ++shared.numbers;
    contents_ = shared.contents;
    settings_ = shared.settings;
}

void AceClient::serve() {
    if (!log_in()) return;
    while (const auto request = receive_frame(connection_))
        if (!answer(*request)) return;
}

// A client has no number at first, and then must send the one it was given.
bool AceClient::log_in() {
    const auto hello = receive_frame(connection_);
    if (!hello) return false;
    if (body_of(*hello) != "bonjour")
        return kill(*hello, terminated("you are an unknown client and your"), 0);
    if (shared_.fault_at(AceMoment::hello) != AceFault::none) return wait_for_end();
    const auto nonce = random_nonce();
    if (!send(*hello, ok, nonce)) return false;
    const auto answer = receive_frame(connection_);
    if (!answer) return false;
    if (answer->frame.client != number_)
        return kill(*answer, terminated("you are an unknown client and your"),
                    answer->frame.client);
    const auto words = words_of(body_of(*answer)).words.size();
    if (words != 2) return kill(*answer, terminated("illegal request, your"), number_);
    if (!is_welcome(body_of(*answer), nonce))
        return kill(*answer, terminated("userid/password incorrect, your"), number_);
    {
        const std::lock_guard lock(shared_.mutex);
        ++shared_.logins;
    }
    if (!send(*answer, ok, "et bonjour a vous")) return false;
    const auto fault = shared_.fault_at(AceMoment::behind_login);
    return fault == AceFault::none || strike(AceFault::kill, *answer);
}

bool AceClient::is_welcome(const std::string& body, const std::string& nonce) const {
    const auto words = words_of(body).words;
    return words[0] == settings_.user &&
           words[1] == md5_hex(md5_hex(settings_.user + settings_.password) + nonce);
}

bool AceClient::answer(const AceRequest& request) {
    if (request.frame.client != number_)
        return kill(request, terminated("you are an unknown client and your"),
                    request.frame.client);
    if (request.frame.type == "ACESERV_MSGDATA")
        return send(request, fail,
                    "// Sorry, you do not have write or admin access to the database.\n");
    const bool is_encore = request.frame.type == encore;
    if (!is_encore) {
        const std::lock_guard lock(shared_.mutex);
        shared_.commands.push_back(body_of(request));
    }
    const auto words = words_of(body_of(request)).words;
    const bool is_show = !is_encore && !words.empty() && words[0] == "show";
    const auto fault = shared_.fault_at(is_show ? AceMoment::show : AceMoment::other_answer);
    if (!is_encore) endless_ = AceFault::none;
    if (fault != AceFault::none) return strike(fault, request);
    if (is_encore) return next_slice(request);
    return run(request);
}

bool AceClient::run(const AceRequest& request) {
    const auto began = std::chrono::steady_clock::now();
    auto reply = ace_reply(*contents_, settings_, active_, body_of(request));
    if (settings_.paced) wait_as_acedb(began, text_of(reply.pieces).size());
    pending_ = std::move(reply.pieces);
    if (const auto& alter = settings_.alter)
        pending_ = {alter(body_of(request), text_of(pending_))};
    if (reply.quits) return kill(request, pending_.front(), 0);
    if (!reply.failed) return next_slice(request);
    const auto words = std::move(pending_.front());
    pending_.clear();
    return send(request, fail, words);
}

// Takes pieces until the limit is passed, since a piece is never divided. With nothing left it
// returns empty slices forever, as AceDB does.
bool AceClient::next_slice(const AceRequest& request) {
    if (endless_ != AceFault::none) return strike(endless_, request);
    AceFrame frame = frame_of(request, encore, "");
    if (pending_.empty()) return connection_.send(header_of(frame, order_of(request)));
    std::string slice;
    auto piece = pending_.begin();
    while (piece != pending_.end() && slice.size() <= most_bytes(request)) slice += *piece++;
    pending_.erase(pending_.begin(), piece);
    return send(request, pending_.empty() ? ok : encore, slice);
}

ByteOrder AceClient::order_of(const AceRequest& request) const {
    return settings_.big_endian ? ByteOrder::big : request.order;
}

std::uint32_t AceClient::most_bytes(const AceRequest& request) const {
    const auto own = static_cast<std::uint32_t>(settings_.slice_bytes);
    const auto wanted = request.frame.most_bytes;
    return wanted == 0 ? own : std::min(own, wanted);
}

AceFrame AceClient::frame_of(const AceRequest& request, const std::string& type,
                             const std::string& body) const {
    AceFrame frame;
    frame.length = static_cast<std::uint32_t>(body.size());
    frame.client = number_;
    frame.most_bytes = most_bytes(request);
    frame.type = type;
    return frame;
}

bool AceClient::send(const AceRequest& request, const std::string& type,
                     const std::string& body) {
    const auto whole = body + '\0';
    return connection_.send(header_of(frame_of(request, type, whole), order_of(request)) + whole);
}

bool AceClient::kill(const AceRequest& request, const std::string& words, std::uint32_t number) {
    const auto body = words + '\0';
    auto frame = frame_of(request, killed, body);
    frame.client = number;
    connection_.send(header_of(frame, order_of(request)) + body);
    return false;
}

bool AceClient::wait_for_end() {
    while (receive_frame(connection_)) {
    }
    return false;
}

// ---- Faults ----

bool AceClient::strike(AceFault fault, const AceRequest& request) {
    const auto shown = frame_of(request, encore, "");
    switch (fault) {
        case AceFault::silence: return wait_for_end();
        case AceFault::cut: return false;
        case AceFault::kill:
            return kill(request,
                        "// 0 Active Objects\n// Sorry, emergency shutdown of server now "
                        "executing\n// A bientot\n",
                        0);
        case AceFault::empty_kill:
            connection_.send(header_of(frame_of(request, killed, ""), order_of(request)));
            return false;
        case AceFault::endless_encore:
            endless_ = fault;
            return connection_.send(header_of(shown, order_of(request)));
        case AceFault::endless_slices:
            endless_ = fault;
            return send(request, encore, contents_->objects.at(0).bytes + "\n");
        case AceFault::another_object: return show_another(request);
        default: return break_frame(fault, request);
    }
}

// Sends it in one piece.
std::string AceClient::right_answer(const AceRequest& request) {
    if (request.frame.type != encore)
        pending_ = ace_reply(*contents_, settings_, active_, body_of(request)).pieces;
    return text_of(std::exchange(pending_, {}));
}

// Sends the frame of a correct answer with a fault in it.
bool AceClient::break_frame(AceFault fault, const AceRequest& request) {
    const auto body = right_answer(request) + '\0';
    auto frame = frame_of(request, ok, body);
    if (fault == AceFault::wrong_length) frame.length += 10;
    if (fault == AceFault::huge_length) frame.length = 0x7FFFFFFF;
    if (fault == AceFault::negative_length) frame.length = 0xFFFFFFF0;
    if (fault == AceFault::wrong_magic) frame.magic = 0x12345679;
    auto bytes = header_of(frame, order_of(request)) + body;
    if (fault == AceFault::half_header) bytes.resize(20);
    if (fault == AceFault::half_body) bytes.resize(bytes.size() - body.size() / 2 - 1);
    if (!connection_.send(bytes)) return false;
    const bool ends = fault == AceFault::half_header || fault == AceFault::half_body;
    return ends ? false : wait_for_end();
}

bool AceClient::show_another(const AceRequest& request) {
    for (auto& each : active_) each = (each + 1) % contents_->objects.size();
    return send(request, ok, right_answer(request));
}

}  // namespace support
