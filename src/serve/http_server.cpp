// The HTTP server. One thread reads requests and writes answers, and workers compute these. A request, an
// answer and the time between them have one deadline each.
// SPDX-License-Identifier: MIT

#include <fcntl.h>
#include <microhttpd.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <deque>
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
#include "net/address.hpp"
#include "serve/cgi.hpp"
#include "serve/connections.hpp"
#include "serve/responses.hpp"
#include "serve/server.hpp"

namespace serve {

namespace {

constexpr std::size_t connection_memory = 72 * 1024;  // of a request's head and of its answer's

struct HttpConnection {
    MHD_Connection* handle = nullptr;
    int socket = -1;

    // Of the request in progress. A worker has it in the phase `computing`, otherwise MHD's thread.
    std::string target;
    std::optional<Request> request;  // once its head is there
    std::string body;
    bool is_too_long = false;
    std::optional<Response> response;
};

HttpConnection& connection_of(MHD_Connection* handle) {
    const auto* info = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return *static_cast<HttpConnection*>(info->socket_context);
}

std::string address_of(MHD_Connection* handle) {
    const auto* peer =
        MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
    const auto address = net::address_of(*peer);
    return address ? net::text_of(*address) : std::string();
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
    std::vector<Variable> variables = {
        {"REQUEST_METHOD", method},
        {"REQUEST_URI", target},
        {"QUERY_STRING", halves_of(target, '?').second},
        {"REMOTE_ADDR", client},
    };
    for (const auto& [name, value] : fields) variables.push_back({name, value});
    return request_of(variables, Protocol::fastcgi);
}

Response refusal(int status, const std::string& text) {
    return uncached(status, "text/plain; charset=utf-8", text + "\n");
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
        : listener(std::move(listener_)), settings(settings_), answer(std::move(answer_)),
          connections({settings.idle_timeout, settings.read_timeout, settings.write_timeout}) {}
    ~HttpServer() override { HttpServer::stop(); }

    // Returns false, with a reason in errno, when the system has no more descriptors or threads.
    [[nodiscard]] bool open() {
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
        if (daemon == nullptr) return false;
        for (std::size_t i = 0; i < settings.workers; ++i)
            workers.emplace_back([this](const auto& end) { work(end); });
        return true;
    }

    void stop() override {
        if (daemon == nullptr) return;
        const int socket = MHD_quiesce_daemon(daemon);  // connections go on
        connections.begin_stop();
        // Each has been resumed then; otherwise MHD_stop_daemon would abort the program.
        connections.wait_until_empty();
        workers.clear();
        MHD_stop_daemon(std::exchange(daemon, nullptr));
        ::close(socket);
    }

   private:
    void work(const std::stop_token& end) {
        for (;;) {
            std::unique_lock lock(mutex);
            if (!called.wait(lock, end, [&] { return !queue.empty(); })) return;
            auto& connection = *queue.front();
            queue.pop_front();
            lock.unlock();
            connection.response = answer(*connection.request);
            MHD_resume_connection(connection.handle);
        }
    }

    // ---- what MHD calls in its thread ------------------------------------------------------------------

    static void on_connection(void* self, MHD_Connection* handle, void** context,
                              MHD_ConnectionNotificationCode code) {
        auto& connections = static_cast<HttpServer*>(self)->connections;
        const int socket =
            MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
        if (code == MHD_CONNECTION_NOTIFY_STARTED) {
            auto& connection = connections.add(socket);
            connection.handle = handle;
            connection.socket = socket;
            *context = &connection;
        } else {
            connections.remove(socket);
        }
    }

    // The target is given here alone as it was sent.
    static void* on_target(void* self, const char* target, MHD_Connection* handle) {
        auto& connection = connection_of(handle);
        connection.target = target;
        // MHD must find no parameters: it keeps each of them, and a request for which it has no memory
        // is never answered. The text is in its buffer, which it changes itself next.
        if (const auto question = connection.target.find('?'); question != std::string::npos)
            const_cast<char*>(target)[question + 1] = '\0';
        static_cast<HttpServer*>(self)->connections.enter(connection.socket, Phase::reading);
        return nullptr;
    }

    // Is called when the head is there, for each piece of the body, at its end, and when the request was
    // answered.
    static MHD_Result on_request(void* self, MHD_Connection* handle, const char*,
                                 const char* method, const char*, const char* data,
                                 std::size_t* size, void**) {
        auto& state = *static_cast<HttpServer*>(self);
        auto& connection = connection_of(handle);
        if (!connection.request) return state.take_head(connection, method);
        if (*size > 0) {
            take_body(connection, {data, std::exchange(*size, 0)});
            return MHD_YES;
        }
        if (connection.response) return state.send(connection, *connection.response, false);
        state.pass_to_worker(connection);
        return MHD_YES;
    }

    MHD_Result take_head(HttpConnection& connection, std::string_view method) {
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
        const auto most = connection.request->method == "POST" ? longest_body : std::size_t{0};
        connection.is_too_long =
            connection.is_too_long || connection.body.size() + piece.size() > most;
        if (!connection.is_too_long) connection.body.append(piece);
    }

    void pass_to_worker(HttpConnection& connection) {
        auto& request = *connection.request;
        if (request.method == "POST") {
            if (connection.is_too_long)
                request.body_error = body_too_long();
            else
                set_body(request, std::move(connection.body));
        }
        connections.enter(connection.socket, Phase::computing);
        MHD_suspend_connection(connection.handle);
        const std::lock_guard lock(mutex);
        queue.push_back(&connection);
        called.notify_one();
    }

    MHD_Result send(HttpConnection& connection, const Response& response, bool is_last) {
        auto* made = made_for_mhd(response);
        if (made == nullptr) return MHD_NO;
        if (is_last || connections.is_stopping())
            MHD_add_response_header(made, "Connection", "close");
        const auto queued =
            MHD_queue_response(connection.handle, static_cast<unsigned>(response.status), made);
        MHD_destroy_response(made);
        connections.enter(connection.socket, Phase::writing);
        return queued;
    }

    static void on_end(void* self, MHD_Connection* handle, void**, MHD_RequestTerminationCode) {
        auto& connection = connection_of(handle);
        connection.request.reset();
        connection.response.reset();
        static_cast<HttpServer*>(self)->connections.enter(connection.socket, Phase::idle);
    }

    const Listener listener;
    const HttpSettings settings;
    const Answer answer;
    MHD_Daemon* daemon = nullptr;

    // MHD has timeouts of its own, but they count silence: a byte a second would keep a connection for ever.
    Connections<HttpConnection> connections;
    std::mutex mutex;  // guards what follows
    std::condition_variable_any called;
    std::deque<HttpConnection*> queue;  // requests for the workers

    std::vector<std::jthread> workers;
};

}  // namespace

base::Result<std::unique_ptr<Server>> start_http(Listener listener, HttpSettings settings,
                                                 Server::Answer answer) {
    return start<HttpServer>(std::move(listener), settings, std::move(answer),
                             "cannot start an HTTP server");
}

}  // namespace serve
