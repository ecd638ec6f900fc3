// in-process CONFIG -- the site of a configuration without a server around it. The golden cases
// (tests/cases) check it beside FastCGI and CGI.
// Reads CGI variables, each "NAME=value" and a NUL, an empty one after the last of a request;
// writes a line with the number of bytes, then the answer as a CGI program would send it.
// SPDX-License-Identifier: MIT
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "app/config_file.hpp"
#include "app/services.hpp"
#include "base/log.hpp"
#include "serve/cgi.hpp"
#include "serve/http.hpp"

namespace {

std::optional<std::vector<std::string>> read_variables() {
    std::vector<std::string> variables;
    for (std::string each; std::getline(std::cin, each, '\0');) {
        if (each.empty()) return variables;
        variables.push_back(each);
    }
    return std::nullopt;
}

serve::Request request_of(const std::vector<std::string>& variables,
                          const std::string& base_path) {
    std::vector<const char*> pointers;
    for (const auto& each : variables) pointers.push_back(each.c_str());
    pointers.push_back(nullptr);
    return serve::request_of(pointers.data(), base_path, serve::Protocol::fastcgi);
}

int answer_all(app::Services& services) {
    services.current->look();
    const auto site = app::open_site(services, app::Asker::server_clients);
    const auto base_path = serve::base_path_of(services.config.site.base_url);
    while (const auto variables = read_variables()) {
        const auto response = site->answer(request_of(*variables, base_path));
        auto text = serve::head_of(response);
        if (response.body && response.send_body) text += *response.body;
        std::cout << text.size() << '\n' << text << std::flush;
    }
    return 0;
}

int complain(const base::Error& error) {
    std::cerr << "in-process: " << error.text << '\n';
    return 1;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::cerr << "in-process CONFIG\n";
        return 2;
    }
    base::log::send_to(2, base::log::Level::error);
    auto config = app::load_config(arguments[1]);
    if (!config) return complain(config.error());
    auto services = app::open_services(std::move(*config), app::Waiting::request);
    return services ? answer_all(*services) : complain(services.error());
}
