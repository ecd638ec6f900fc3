// The HTTP server. One thread reads requests and writes answers, and workers compute these. A request, an
// answer and the time between them have one deadline each.
// SPDX-License-Identifier: MIT

#include <fcntl.h>
#include <microhttpd.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "serve/cgi.hpp"
#include "serve/server.hpp"

namespace serve {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t connection_memory = 72 * 1024;  // of a request's head and of its answer's

// What a connection waits for: a request, the rest of its head and of its body, a worker, or the peer
// that reads the answer.
enum class Phase : unsigned char { idle, head, body, worker, reader };

struct HttpConnection {
    MHD_Connection* handle = nullptr;
    int socket = -1;
    Phase phase = Phase::head;                              // only MHD's thread changes it
    Clock::time_point deadline = Clock::time_point::max();  // HttpServer::mutex guards it
    std::list<HttpConnection>::iterator self;

    // Of the request in progress. A worker has it in the phase `worker`, otherwise MHD's thread.
    std::string target;
    Request request;
    std::string body;
    bool is_too_long = false;
    Response response;
};

HttpConnection& connection_of(MHD_Connection* handle) {
    const auto* info = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return *static_cast<HttpConnection*>(info->socket_context);
}

std::string address_of(MHD_Connection* handle) {
    const auto* peer =
        MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
    const socklen_t size =
        peer->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(peer, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0)
        return {};
    return text.data();
}

// The header fields of a request by their names as CGI variables: HTTP_ACCEPT.
using HeadFields = std::map<std::string, std::string, std::less<>>;

MHD_Result add_head_field(void* fields, MHD_ValueKind, const char* name, const char* value) {
    const std::string_view field(name), text(value != nullptr ? value : "");
    // It would be taken for the field with hyphens in place of the underscores.
    if (field.find('_') != std::string_view::npos) return MHD_YES;
    std::string variable = "HTTP_";
    for (const char c : field)
        variable += c == '-' ? '_' : (c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c);
    if (variable == "HTTP_CONTENT_LENGTH" || variable == "HTTP_CONTENT_TYPE")
        variable.erase(0, 5);
    const auto [place, is_new] =
        static_cast<HeadFields*>(fields)->emplace(std::move(variable), text);
    if (!is_new) place->second.append(", ").append(text);
    return MHD_YES;
}

std::string_view value_in(const HeadFields& fields, std::string_view variable) {
    const auto found = fields.find(variable);
    return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

// Returns how long the fields say that the body is; 0 where a chunked one says so itself.
//   returns  nullopt: a proxy in front could see its end elsewhere than MHD, which accepts two lengths,
//            both kinds of length, and other codings
std::optional<std::size_t> length_in(const HeadFields& fields) {
    const bool has_length = fields.contains("CONTENT_LENGTH");
    if (fields.contains("HTTP_TRANSFER_ENCODING")) {
        const auto coding = value_in(fields, "HTTP_TRANSFER_ENCODING");
        if (has_length || !base::equal_ignoring_case(coding, "chunked")) return std::nullopt;
    }
    if (!has_length) return 0;
    const auto text = value_in(fields, "CONTENT_LENGTH");
    const auto length = base::parse_integer(text);
    if (!length || *length < 0 || !base::is_digit(text.front())) return std::nullopt;
    return static_cast<std::size_t>(*length);
}

Request request_with(const HeadFields& fields, std::string_view method, std::string_view target,
                     std::string_view client) {
    const auto question = target.find('?');
    std::vector<Variable> variables = {
        {"REQUEST_METHOD", method},
        {"REQUEST_URI", target},
        {"QUERY_STRING", question == std::string_view::npos ? "" : target.substr(question + 1)},
        {"REMOTE_ADDR", client},
    };
    for (const auto& [name, value] : fields) variables.push_back({name, value});
    return request_of(variables, Protocol::fastcgi);
}

Response refusal(int status, std::string text) {
    Response response;
    response.status = status;
    response.fields = {{"Content-Type", "text/plain; charset=utf-8"}};
    response.body = std::make_shared<const std::string>(std::move(text) + "\n");
    return response;
}

// Returns the response for MHD; nullptr: no memory.
MHD_Response* made_for_mhd(const Response& response) {
    // With a size that it does not know, MHD ends a 304 with a last chunk, and the next answer is lost.
    auto body = std::make_unique<Body>(response.body ? response.body
                                                     : std::make_shared<const std::string>());
    auto* made = MHD_create_response_from_buffer_with_free_callback_cls(
        (*body)->size(), const_cast<char*>((*body)->data()),
        [](void* owner) { std::unique_ptr<Body>(static_cast<Body*>(owner)); }, body.get());
    if (made == nullptr) return made;
    (void)body.release();  // the response owns it
    for (const auto& [name, value] : response.fields)
        MHD_add_response_header(made, name.c_str(), value.c_str());
    return made;
}

class HttpServer : public Server {
   public:
    HttpServer(Listener listener_, HttpSettings settings_, Answer answer_)
        : listener(std::move(listener_)), settings(settings_), answer(std::move(answer_)) {}
    ~HttpServer() override { HttpServer::stop(); }

    // Returns what went wrong.
    [[nodiscard]] std::optional<std::string> open() {
        // Its own, because MHD may close it when it cannot start.
        const int socket = ::fcntl(listener.number(), F_DUPFD_CLOEXEC, 3);
        daemon = MHD_start_daemon(
            MHD_USE_EPOLL | MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0,
            nullptr, nullptr, &on_request, this, MHD_OPTION_LISTEN_SOCKET, socket,
            MHD_OPTION_CONNECTION_LIMIT, settings.most_connections,
            MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory, MHD_OPTION_CONNECTION_TIMEOUT,
            0U, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
            MHD_OPTION_URI_LOG_CALLBACK, &on_target, this, MHD_OPTION_NOTIFY_COMPLETED, &on_end,
            this, MHD_OPTION_NOTIFY_CONNECTION, &on_connection, this, MHD_OPTION_END);
        if (daemon == nullptr)
            return "cannot start an HTTP server: " +
                   std::error_code(errno, std::generic_category()).message();
        try {
            threads.emplace_back([this] { close_late(); });
            for (std::size_t i = 0; i < settings.workers; ++i)
                threads.emplace_back([this] { work(); });
        } catch (const std::system_error& none) {
            return std::string("cannot start threads: ") + none.what();
        }
        return std::nullopt;
    }

    void stop() override {
        if (daemon == nullptr) return;
        const int socket = MHD_quiesce_daemon(daemon);  // connections go on
        {
            std::unique_lock lock(mutex);
            stopping = true;
            for (auto& connection : connections) limit(connection);
            // Each has been resumed then; otherwise MHD_stop_daemon would abort the program.
            changed.wait(lock, [&] { return connections.empty(); });
            ended = true;
            changed.notify_all();
            called.notify_all();
        }
        for (auto& thread : threads) thread.join();
        MHD_stop_daemon(std::exchange(daemon, nullptr));
        ::close(socket);
    }

   private:
    // MHD has timeouts of its own, but they count silence: a byte a second would keep a connection for ever.
    [[nodiscard]] Clock::time_point deadline_of(Phase phase) const {
        const auto in = [&](milliseconds usually, milliseconds when_stopping) {
            return Clock::now() + (stopping ? std::min(usually, when_stopping) : usually);
        };
        if (phase == Phase::worker) return Clock::time_point::max();
        if (phase == Phase::idle) return in(settings.idle_timeout, milliseconds(0));
        if (phase == Phase::reader) return in(settings.write_timeout, rest_of_answer_after_stop);
        return in(settings.read_timeout, rest_of_request_after_stop);
    }

    void enter(HttpConnection& connection, Phase phase) {
        const std::lock_guard lock(mutex);
        connection.phase = phase;
        if (phase != Phase::body) connection.deadline = Clock::time_point::max();
        limit(connection);
    }

    // Gives a connection the deadline of its phase, unless it has an earlier one. Requires `mutex`.
    void limit(HttpConnection& connection) const {
        connection.deadline = std::min(connection.deadline, deadline_of(connection.phase));
        if (stopping && connection.phase == Phase::idle) ::shutdown(connection.socket, SHUT_RDWR);
    }

    // Shuts down connections whose deadline has passed, until the server has ended.
    void close_late() {
        const auto pause =
            std::min({settings.read_timeout, settings.write_timeout, settings.idle_timeout}) / 16;
        std::unique_lock lock(mutex);
        while (!ended) {
            const auto now = Clock::now();
            for (const auto& connection : connections)
                if (connection.deadline <= now) ::shutdown(connection.socket, SHUT_RDWR);
            if (connections.empty())
                changed.wait(lock, [&] { return ended || !connections.empty(); });
            else
                changed.wait_for(lock, pause, [&] { return ended; });
        }
    }

    void work() {
        std::unique_lock lock(mutex);
        for (;;) {
            called.wait(lock, [&] { return ended || !queue.empty(); });
            if (queue.empty()) return;
            auto& connection = *queue.front();
            queue.pop_front();
            lock.unlock();
            connection.response = answer(connection.request);
            MHD_resume_connection(connection.handle);
            lock.lock();
        }
    }

    // ---- what MHD calls in its thread ------------------------------------------------------------------

    static void on_connection(void* self, MHD_Connection* handle, void** context,
                              MHD_ConnectionNotificationCode code) {
        auto& state = *static_cast<HttpServer*>(self);
        const std::lock_guard lock(state.mutex);
        if (code == MHD_CONNECTION_NOTIFY_STARTED) {
            auto& connection = state.connections.emplace_back();
            connection.handle = handle;
            connection.socket =
                MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
            state.limit(connection);
            connection.self = std::prev(state.connections.end());
            *context = &connection;
        } else {  // its socket is still open
            state.connections.erase(static_cast<HttpConnection*>(*context)->self);
        }
        state.changed.notify_all();
    }

    // The target is given here alone as it was sent.
    static void* on_target(void* self, const char* target, MHD_Connection* handle) {
        auto& connection = connection_of(handle);
        connection.target = target;
        // MHD must find no parameters: it keeps each of them, and a request for which it has no memory
        // is never answered. The text is in its buffer, which it changes itself next.
        if (const auto question = connection.target.find('?'); question != std::string::npos)
            const_cast<char*>(target)[question + 1] = '\0';
        if (connection.phase == Phase::idle)
            static_cast<HttpServer*>(self)->enter(connection, Phase::head);
        return nullptr;
    }

    // Is called when the head is there, for each piece of the body, at its end, and when the request was
    // answered.
    static MHD_Result on_request(void* self, MHD_Connection* handle, const char*,
                                 const char* method, const char*, const char* data,
                                 std::size_t* size, void**) {
        auto& state = *static_cast<HttpServer*>(self);
        auto& connection = connection_of(handle);
        if (connection.phase == Phase::head) return state.take_head(connection, method);
        if (*size > 0) {
            take_body(connection, {data, std::exchange(*size, 0)});
            return MHD_YES;
        }
        if (connection.phase == Phase::worker)
            return state.send(connection, connection.response, false);
        state.pass_to_worker(connection);
        return MHD_YES;
    }

    MHD_Result take_head(HttpConnection& connection, std::string_view method) {
        enter(connection, Phase::body);
        HeadFields fields;
        MHD_get_connection_values(connection.handle, MHD_HEADER_KIND, &add_head_field, &fields);
        const auto length = length_in(fields);
        if (!length)
            return send(connection, refusal(400, "It is not certain where this request ends."),
                        true);
        if (*length > longest_dropped_body)  // the client need not send it
            return send(connection, refusal(413, body_too_long().text), true);
        auto client = address_of(connection.handle);
        if (settings.trusted_front) {
            const auto forwarded = value_in(fields, "HTTP_X_FORWARDED_FOR");
            const auto last = base::trim(forwarded.substr(forwarded.rfind(',') + 1));
            if (!last.empty()) client = last;
        }
        connection.request = request_with(fields, method, connection.target, client);
        connection.body.clear();
        connection.is_too_long = false;
        return MHD_YES;
    }

    static void take_body(HttpConnection& connection, std::string_view piece) {
        const auto most = connection.request.method == "POST" ? longest_body : std::size_t{0};
        connection.is_too_long =
            connection.is_too_long || connection.body.size() + piece.size() > most;
        if (!connection.is_too_long) connection.body.append(piece);
    }

    void pass_to_worker(HttpConnection& connection) {
        auto& request = connection.request;
        if (request.method == "POST") {
            if (connection.is_too_long)
                request.body_error = body_too_long();
            else
                set_body(request, std::move(connection.body));
        }
        enter(connection, Phase::worker);
        MHD_suspend_connection(connection.handle);
        const std::lock_guard lock(mutex);
        queue.push_back(&connection);
        called.notify_one();
    }

    MHD_Result send(HttpConnection& connection, const Response& response, bool is_last) {
        auto* made = made_for_mhd(response);
        if (made == nullptr) return MHD_NO;
        {
            const std::lock_guard lock(mutex);
            is_last = is_last || stopping;
        }
        if (is_last) MHD_add_response_header(made, "Connection", "close");
        const auto queued =
            MHD_queue_response(connection.handle, static_cast<unsigned>(response.status), made);
        MHD_destroy_response(made);
        connection.response = {};
        enter(connection, Phase::reader);
        return queued;
    }

    static void on_end(void* self, MHD_Connection* handle, void**, MHD_RequestTerminationCode) {
        static_cast<HttpServer*>(self)->enter(connection_of(handle), Phase::idle);
    }

    const Listener listener;
    const HttpSettings settings;
    const Answer answer;
    MHD_Daemon* daemon = nullptr;

    std::mutex mutex;  // guards what follows
    std::condition_variable called, changed;
    std::list<HttpConnection> connections;
    std::deque<HttpConnection*> queue;  // requests for the workers
    bool stopping = false, ended = false;

    std::vector<std::thread> threads;
};

}  // namespace

base::Result<std::unique_ptr<Server>> start_http(Listener listener, HttpSettings settings,
                                                 Server::Answer answer) {
    std::signal(SIGPIPE, SIG_IGN);
    auto server = std::make_unique<HttpServer>(std::move(listener), settings, std::move(answer));
    if (const auto failed = server->open())
        return base::fail(base::ErrorKind::unavailable, *failed);
    return server;
}

}  // namespace serve
