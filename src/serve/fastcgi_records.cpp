// SPDX-License-Identifier: MIT
#include "serve/fastcgi_records.hpp"

#include <fastcgi.h>

#include <algorithm>

namespace serve {

namespace {

constexpr std::size_t longest_management = 1024;  // bytes of FCGI_GET_VALUES that are read
// Content of one FCGI_STDOUT record: the most that its length can name, in multiples of eight.
constexpr std::size_t longest_output = FCGI_MAX_LENGTH / 8 * 8;

std::string header_of(int type, std::uint16_t id, std::size_t length) {
    return {FCGI_VERSION_1,
            static_cast<char>(type),
            static_cast<char>(id >> 8),
            static_cast<char>(id),
            static_cast<char>(length >> 8),
            static_cast<char>(length),
            0,
            0};
}

std::string end_record_of(std::uint16_t id, std::uint8_t status) {
    return header_of(FCGI_END_REQUEST, id, sizeof(FCGI_EndRequestBody)) +
           std::string{0, 0, 0, 0, static_cast<char>(status), 0, 0, 0};
}

// Removes the length of a name or value: one byte, or four with the first bit set.
std::optional<std::size_t> take_length(std::string_view& rest) {
    if (rest.empty()) return std::nullopt;
    const auto byte = [&](std::size_t i) {
        return static_cast<std::size_t>(static_cast<std::uint8_t>(rest[i]));
    };
    if (byte(0) < 0x80) {
        const auto length = byte(0);
        rest.remove_prefix(1);
        return length;
    }
    if (rest.size() < 4) return std::nullopt;
    const auto length = (byte(0) & 0x7f) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
    rest.remove_prefix(4);
    return length;
}

// Removes the first name and value. Returns nullopt when they are not whole.
std::optional<Variable> take_pair(std::string_view& rest) {
    const auto name = take_length(rest);
    const auto value = name ? take_length(rest) : std::nullopt;
    if (!value || *name > rest.size() || *value > rest.size() - *name) return std::nullopt;
    const Variable pair{rest.substr(0, *name), rest.substr(*name, *value)};
    rest.remove_prefix(*name + *value);
    return pair;
}

void append_short_pair(std::string& pairs, std::string_view name, std::string_view value) {
    pairs += static_cast<char>(name.size());
    pairs += static_cast<char>(value.size());
    pairs.append(name).append(value);
}

}  // namespace

std::uint16_t RecordReader::id() const {
    return static_cast<std::uint16_t>(header_[2] << 8 | header_[3]);
}

std::size_t RecordReader::length() const {
    return static_cast<std::size_t>(header_[4]) << 8 | header_[5];
}

RecordReader::Step RecordReader::read(std::string_view bytes) {
    const auto size = bytes.size();
    while (!bytes.empty()) {
        if (header_size_ < header_.size()) {
            const auto count = std::min(bytes.size(), header_.size() - header_size_);
            std::copy_n(bytes.begin(), count, header_.begin() + header_size_);
            bytes.remove_prefix(count);
            header_size_ += count;
            if (header_size_ < header_.size()) break;
            const auto content = content_of_record();
            if (!content) return {Event::malformed, size - bytes.size()};
            content_ = *content;
            content_left_ = length();
            padding_left_ = header_[6];
            small_.clear();
        } else if (content_left_ > 0) {
            const auto part = bytes.substr(0, content_left_);
            content_left_ -= part.size();
            bytes.remove_prefix(part.size());
            if (!read_content(part))
                return {is_cut_ ? Event::request : Event::malformed, size - bytes.size()};
        } else {
            const auto count = std::min(bytes.size(), padding_left_);
            padding_left_ -= count;
            bytes.remove_prefix(count);
        }
        if (content_left_ > 0 || padding_left_ > 0) continue;
        const auto event = end_record();
        header_size_ = 0;
        if (event != Event::more) return {event, size - bytes.size()};
    }
    return {Event::more, size};
}

// Returns what is done with the content of the record whose header has arrived; nullopt when that
// record is an error.
std::optional<RecordReader::Content> RecordReader::content_of_record() const {
    if (header_[0] != FCGI_VERSION_1) return std::nullopt;
    const auto small = [&](bool fits) {
        return fits ? std::optional(Content::small) : std::nullopt;
    };
    if (id() == FCGI_NULL_REQUEST_ID) return small(length() <= longest_management);
    if (type() == FCGI_BEGIN_REQUEST)
        return small(length() == sizeof(FCGI_BeginRequestBody) && id() != request_id_);
    // "While a request ID is inactive, the application ignores records with it" (section 3.3).
    if (id() != request_id_ || type() == FCGI_ABORT_REQUEST) return Content::ignored;
    if (type() == FCGI_PARAMS && stage_ == Stage::variables) return Content::variables;
    if (type() == FCGI_STDIN && stage_ == Stage::input) return Content::input;
    return std::nullopt;
}

// Returns false when a limit is exceeded.
bool RecordReader::read_content(std::string_view bytes) {
    if (content_ == Content::small) {
        small_.append(bytes);
        return true;
    }
    if (content_ == Content::variables && !is_too_long_) {
        if (variables_.size() + bytes.size() <= longest_variables) {
            variables_.append(bytes);
            return true;
        }
        is_too_long_ = true;
        variables_.clear();
    }
    if (content_ == Content::input && keeps_input_) keep_input(bytes);
    dropped_ += bytes.size();
    if (dropped_ <= longest_body) return true;
    is_cut_ = stage_ == Stage::input || is_too_long_;  // enough to answer
    return false;
}

void RecordReader::keep_input(std::string_view bytes) {
    is_input_too_long_ = is_input_too_long_ || input_.size() + bytes.size() > longest_kept_body;
    if (is_input_too_long_)
        std::string().swap(input_);
    else
        input_.append(bytes);
}

RecordReader::Event RecordReader::end_record() {
    const bool is_of_request = content_ == Content::variables || content_ == Content::input;
    if (!is_of_request && ++other_records_ > most_other_records) return Event::malformed;
    if (id() == FCGI_NULL_REQUEST_ID) return answer_management();
    if (type() == FCGI_BEGIN_REQUEST) return begin_request();
    if (id() != request_id_) return Event::more;
    if (type() == FCGI_ABORT_REQUEST) {
        const bool closes = !keeps_connection_;
        end_request();
        return end_with(id(), FCGI_REQUEST_COMPLETE, closes);
    }
    if (length() > 0) return Event::more;
    return stage_ == Stage::variables ? end_variables() : Event::request;
}

RecordReader::Event RecordReader::begin_request() {
    const bool keeps = (static_cast<std::uint8_t>(small_[2]) & FCGI_KEEP_CONN) != 0;
    if (stage_ != Stage::none) return end_with(id(), FCGI_CANT_MPX_CONN, false);
    if (small_[0] != 0 || small_[1] != FCGI_RESPONDER)
        return end_with(id(), FCGI_UNKNOWN_ROLE, !keeps);
    stage_ = Stage::variables;
    request_id_ = id();
    keeps_connection_ = keeps;
    return Event::more;
}

RecordReader::Event RecordReader::end_variables() {
    for (std::string_view rest = variables_; !rest.empty();) {
        const auto pair = take_pair(rest);
        // CGI variables are strings that end with a NUL byte.
        if (!pair || pair->name.find('\0') != std::string_view::npos ||
            pair->value.find('\0') != std::string_view::npos)
            return Event::malformed;
        if (pair->name == "REQUEST_METHOD") keeps_input_ = pair->value == "POST";
    }
    stage_ = Stage::input;
    return Event::more;
}

RecordReader::Event RecordReader::answer_management() {
    if (type() != FCGI_GET_VALUES) {
        reply_ =
            header_of(FCGI_UNKNOWN_TYPE, FCGI_NULL_REQUEST_ID, sizeof(FCGI_UnknownTypeBody)) +
            static_cast<char>(type()) + std::string(7, '\0');
        reply_closes_ = false;
        return Event::reply;
    }
    const std::array<Variable, 3> known = {
        {{FCGI_MAX_CONNS, {}}, {FCGI_MAX_REQS, {}}, {FCGI_MPXS_CONNS, {}}}};
    const std::array<std::size_t, 3> values = {capacity_.connections, capacity_.requests, 0};
    std::array<bool, 3> asked{};
    for (std::string_view rest = small_; !rest.empty();) {
        const auto pair = take_pair(rest);
        if (!pair) return Event::malformed;
        for (std::size_t i = 0; i < known.size(); ++i)
            asked[i] = asked[i] || pair->name == known[i].name;
    }
    std::string pairs;
    for (std::size_t i = 0; i < known.size(); ++i)
        if (asked[i]) append_short_pair(pairs, known[i].name, std::to_string(values[i]));
    reply_ = header_of(FCGI_GET_VALUES_RESULT, FCGI_NULL_REQUEST_ID, pairs.size()) + pairs;
    reply_closes_ = false;
    return Event::reply;
}

RecordReader::Event RecordReader::end_with(std::uint16_t id, std::uint8_t status, bool closes) {
    reply_ = end_record_of(id, status);
    reply_closes_ = closes;
    return Event::reply;
}

Request RecordReader::request(std::string_view base_path) const {
    if (is_too_long_) {
        Request request;
        request.error = HttpError{400, "The header fields are too long."};
        return request;
    }
    std::vector<Variable> variables;
    variables.reserve(32);
    for (std::string_view rest = variables_; !rest.empty();)
        variables.push_back(take_pair(rest).value());
    auto request = request_of(variables, base_path, Protocol::fastcgi);
    if (is_input_too_long_)
        request.body_error = body_too_long();
    else if (keeps_input_)
        set_body(request, input_);
    return request;
}

void RecordReader::answered() {
    end_request();
    dropped_ = 0;
    other_records_ = 0;
}

void RecordReader::end_request() {
    constexpr std::size_t usual = 8192;  // an idle connection holds no more than this
    stage_ = Stage::none;
    request_id_ = 0;
    is_too_long_ = is_input_too_long_ = keeps_input_ = false;
    variables_.clear();
    if (variables_.capacity() > usual) variables_.shrink_to_fit();
    std::string().swap(input_);
}

ResponseRecords::ResponseRecords(std::uint16_t request_id, const Response& response) {
    const auto head = head_of(response);
    if (response.send_body) body_ = response.body;
    const std::string_view body = body_ ? std::string_view(*body_) : std::string_view();

    // The head and the body are one stream, cut into records.
    const auto total = head.size() + body.size();
    const auto records = (total + longest_output - 1) / longest_output;
    const auto end =
        header_of(FCGI_STDOUT, request_id, 0) + end_record_of(request_id, FCGI_REQUEST_COMPLETE);
    frames_.reserve(head.size() + records * FCGI_HEADER_LEN +
                    end.size());  // pieces point into it
    pieces_.reserve(2 * records + 2);
    const auto add_frame = [&](std::string_view frame) {
        const auto begin = frames_.size();
        frames_.append(frame);
        pieces_.push_back(std::string_view(frames_).substr(begin));
    };
    for (std::size_t begin = 0; begin < total; begin += longest_output) {
        const auto length = std::min(longest_output, total - begin);
        add_frame(header_of(FCGI_STDOUT, request_id, length));
        const auto of_head = begin < head.size() ? std::min(length, head.size() - begin) : 0;
        if (of_head > 0) add_frame(std::string_view(head).substr(begin, of_head));
        if (of_head < length)
            pieces_.push_back(body.substr(begin + of_head - head.size(), length - of_head));
    }
    add_frame(end);
}

std::span<const std::string_view> ResponseRecords::left() const {
    return std::span(pieces_).subspan(first_);
}

void ResponseRecords::remove_prefix(std::size_t bytes) {
    while (bytes > 0) {
        auto& piece = pieces_[first_];
        const auto part = std::min(bytes, piece.size());
        piece.remove_prefix(part);
        bytes -= part;
        if (piece.empty()) ++first_;
    }
}

}  // namespace serve
