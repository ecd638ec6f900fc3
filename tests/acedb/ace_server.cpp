// ace-server DUMP [--models FILE] [--port N] [--user U] [--password P] [--name V]
//            [--paced]
// -- the test server (tests/support/ace_server.hpp) as a program: prints
// "listening on PORT" and serves until it is ended.
// SPDX-License-Identifier: MIT
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <unistd.h>

#include "support/ace_server.hpp"

namespace {

struct Order {
    std::string dump, models;
    support::AceServerSettings settings;
};

// Returns false when the arguments are wrong.
bool read_option(Order& order, const std::string& name, const std::string& value) {
    auto& settings = order.settings;
    const std::map<std::string, std::string*> texts = {{"--models", &order.models},
                                                       {"--user", &settings.user},
                                                       {"--password", &settings.password},
                                                       {"--name", &settings.name}};
    if (name == "--port") {
        settings.port = static_cast<std::uint16_t>(std::stoul(value));
        return true;
    }
    const auto text = texts.find(name);
    if (text == texts.end()) return false;
    *text->second = value;
    return true;
}

bool read_order(Order& order, int count, char** words) {
    if (count < 2) return false;
    order.dump = words[1];
    for (int i = 2; i < count; ++i) {
        const std::string name = words[i];
        if (name == "--paced") {
            order.settings.paced = true;
        } else if (i + 1 == count || !read_option(order, name, words[++i])) {
            return false;
        }
    }
    return true;
}

void serve(const Order& order) {
    const support::AceServer server(std::make_shared<const support::AceContents>(
                                        support::AceContents::of_dump(order.dump, order.models)),
                                    order.settings);
    std::cout << "listening on " << server.port() << std::endl;
    while (true) ::pause();
}

}  // namespace

int main(int count, char** words) {
    Order order;
    if (!read_order(order, count, words)) {
        std::cerr << "ace-server DUMP [--models FILE] [--port N] [--user U] [--password P] "
                     "[--name V] [--paced]\n";
        return 2;
    }
    try {
        serve(order);
    } catch (const std::exception& failure) {
        std::cerr << "ace-server: " << failure.what() << '\n';
    }
    return 1;
}
