// bench/canned.cpp -- a FastCGI responder that knows two answers by heart: what a program in
// Varve's place can reach at best behind the same web server.
//   canned SOCKET THREADS REPLY NOT_MODIFIED
// REPLY and NOT_MODIFIED are files that hold whole CGI answers, head and body: the first for each
// request, the second for those with If-None-Match. Plain libfcgi: a thread a connection.
// SPDX-License-Identifier: MIT
#include <fcgiapp.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace {

std::string file(const char* path) {
    std::ifstream stream(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    if (bytes.empty()) {
        std::fprintf(stderr, "canned: %s: empty or not there\n", path);
        std::exit(1);
    }
    return bytes;
}

void respond(int socket, const std::string& reply, const std::string& not_modified) {
    FCGX_Request request;
    FCGX_InitRequest(&request, socket, 0);
    while (FCGX_Accept_r(&request) == 0) {
        char unused[512];  // the end of the input must be read, or the next request is lost
        while (FCGX_GetStr(unused, sizeof unused, request.in) > 0) {
        }
        const bool known = FCGX_GetParam("HTTP_IF_NONE_MATCH", request.envp) != nullptr;
        const auto& answer = known ? not_modified : reply;
        if (FCGX_PutStr(answer.data(), static_cast<int>(answer.size()), request.out) < 0)
            std::fputs("canned: answer not written\n", stderr);
        FCGX_Finish_r(&request);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::fputs("use: canned SOCKET THREADS REPLY NOT_MODIFIED\n", stderr);
        return 2;
    }
    const auto reply = file(argv[3]), not_modified = file(argv[4]);
    FCGX_Init();
    const int socket = FCGX_OpenSocket(argv[1], 1024);
    std::vector<std::jthread> threads;
    for (int i = 0; i < std::atoi(argv[2]); ++i)
        threads.emplace_back([&] { respond(socket, reply, not_modified); });
}
