// app/main.cpp -- started from a shell, or by a web server as CGI program.
// SPDX-License-Identifier: MIT
#include <csignal>
#include <cstdlib>
#include <exception>
#include <unistd.h>

#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "serve/cgi.hpp"

namespace {

// There is no command line.
int run_as_cgi() {
    const char* named = std::getenv("VARVE_CONFIG");
    return app::with_config(named != nullptr ? named : "varve.conf", app::Speaker::server,
                            app::serve);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        // A full quota shall be an error of the write that met it, not the end of the program.
        std::signal(SIGXFSZ, SIG_IGN);
        base::log::send_to(2, base::log::Level::warning);  // until a configuration says more
        // A web server may pass words of the query as arguments (RFC 3875 section 4.4).
        return serve::started_as_cgi(::environ) ? run_as_cgi()
                                                : app::run_command_line(argc, argv);
    } catch (const store::Failure& failure) {
        return app::complain(std::string("the store failed: ") + failure.what(), app::failed);
    } catch (const std::exception& error) {
        return app::complain(error.what(), app::failed);
    }
}
