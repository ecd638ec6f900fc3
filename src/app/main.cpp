// app/main.cpp -- started from a shell, or by a web server as CGI program.
// SPDX-License-Identifier: MIT
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <unistd.h>

#include "app/commands.hpp"
#include "app/config_file.hpp"
#include "base/log.hpp"
#include "serve/cgi.hpp"

// Read by jemalloc. Threads allocate from caches of their own, so more arenas than these gave no speed,
// and each keeps memory: 48 feeds of large objects at once took 395 MB with eight, 195 to 238 MB with
// two. Memory that nobody uses goes back to the system after a second (by default ten), which costs
// nothing measurable.
extern "C" const char* malloc_conf;
const char* malloc_conf = "narenas:2,dirty_decay_ms:1000";

namespace {

// There is no command line.
int run_as_cgi() {
    const char* named = std::getenv("VARVE_CONFIG");
    return app::serve_cgi(named != nullptr ? named : app::usual_config_file());
}

// A file that is opened later must not be taken for standard output or error, if the shell closed it.
// Writing to what is opened here fails.
void occupy_standard_descriptors() {
    int descriptor = 0;
    while (descriptor >= 0 && descriptor <= 2) descriptor = ::open("/dev/null", O_RDONLY);
    ::close(descriptor);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        occupy_standard_descriptors();
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
