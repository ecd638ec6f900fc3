// The commands that ask the site for an address, as a client asks a server.
// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <unistd.h>

#include "app/command_line.hpp"
#include "app/print.hpp"
#include "app/sources.hpp"
#include "app/suggestion.hpp"
#include "base/text.hpp"
#include "render/feed.hpp"
#include "serve/cgi.hpp"
#include "serve/parameters.hpp"
#include "tree/json.hpp"

namespace app {
namespace {

using ::serve::Query;
using ::serve::Response;
using tree::ObjectName;

bool is_redirection(const Response& response) {
    return response.status == 301 || response.status == 302;
}

// Returns the sentence of an error, with what may have been meant, a line each.
std::string sentence_of(const Response& response) {
    if (response.field("Content-Type") != "application/json") {
        constexpr std::string_view end_of_title = "\n\n";  // "404 Not Found"
        const auto text = base::trim(*response.body);
        const auto end = text.find(end_of_title);
        return std::string(end == text.npos ? text : text.substr(end + end_of_title.size()));
    }
    const auto json = tree::parse_json(*response.body);
    std::string text(std::string_view(json->root["error"]));
    simdjson::dom::array choices;
    if (json->root["choices"].get(choices) == simdjson::SUCCESS)
        for (const auto choice : choices)
            text.append("\n  ").append(std::string_view(choice["text"]));
    return text;
}

// The site of a configuration. Its operator needs no token.
class OwnSite {
   public:
    explicit OwnSite(Services& services) : services_(services) {
        look_at_build(*services.current);
        site_ = open_site(services, Asker::operator_of_it);
    }

    [[nodiscard]] Response answer(std::string_view url) const {
        const auto [path, query] = ::serve::halves_of(url, '?');
        ::serve::Request request;
        request.path = base::percent_decode(path, base::Plus::literal).value_or("");
        request.query = query;
        return site_->answer(request);
    }

    // Returns what a client gets that follows redirections: an object is spelled otherwise, or people call it
    // what was asked for, which is said on stderr.
    [[nodiscard]] Response follow(std::string_view url) const {
        auto response = answer(url);
        for (int left = 3; left > 0 && is_redirection(response); --left) {
            if (response.status == 302) complain(sentence_of(response), ok);
            response = answer(below_site(response.field("Location")));
        }
        return response;
    }

    // Returns the address below the site that "/changes/rss" or "https://example.org/changes/rss" is.
    [[nodiscard]] std::string below_site(std::string_view url) const {
        const auto& base_url = services_.config.site.base_url;
        if (url.starts_with(base_url)) return std::string(url.substr(base_url.size()));
        return ::serve::path_below(url, ::serve::base_path_of(base_url));
    }

    // Says why the answer is no document.
    [[nodiscard]] int complain_of(const Response& response, std::string_view url) const {
        const auto [path, query] = ::serve::halves_of(url, '?');
        const auto build = services_.current->build();
        if (response.status == 404 && build)
            for (const auto& class_name : ::serve::extract_parameter(query, "class").values)
                if (const auto why = complaint_of_class(*build, class_name); !why.empty())
                    return complain(why, failed);
        return complain(sentence_of(response), response.status == 400 ? wrong_use : failed);
    }

   private:
    Services& services_;
    std::unique_ptr<::serve::Site> site_;
};

// Prints the answer with print(body), or says why there is none.
template <class Print>
int ask(Services& services, const std::string& url, Print print) {
    const OwnSite site(services);
    const auto response = site.follow(url);
    if (response.status != 200) return site.complain_of(response, url);
    return print(*response.body);
}

void print_tree(const ObjectName& object, std::string_view version, const Json& nodes) {
    fmt::print("{} {}  [{}]\n{}", on_one_line(object.class_name), on_one_line(object.name),
               version, tree_text(nodes));
}

int show_past(const std::string& body) {
    const auto json = tree::parse_json(body);
    if (!json) return complain(json.error().text, failed);
    const auto& root = json->root;
    const auto text = [&](std::string_view name) {
        return std::string(std::string_view(root[name]));
    };
    const ObjectName object{text("class"), text("name")};
    if (!bool(root["there"]))
        return complain(object.class_name + " " + object.name + " is not in " + text("release"),
                        failed);
    print_tree(object, text("release"), root["nodes"]);
    warn_of_rest(root, "nodes");
    return ok;
}

// Returns the only object that people call so, which the site knows, and says so on stderr; the object itself
// where the site knows no more.
ObjectName object_called(const Config& config, const ObjectName& asked) {
    auto services = open_services(config);
    if (!services) return asked;
    const auto response =
        OwnSite(*services).answer(Query("/object").with(asked).with("format", "json").url());
    if (response.status == 300 || response.status == 302) complain(sentence_of(response), ok);
    if (!is_redirection(response)) return asked;
    const auto [path, query] = ::serve::halves_of(response.field("Location"), '?');
    const auto value = [&](std::string_view name) {
        return ::serve::extract_parameter(query, name).values.at(0);
    };
    return {value("class"), value("name")};
}

// A look at the build: whether it is served is another matter.
int show_current(const Config& config, const ObjectName& asked) {
    const auto opened = build_opener(config).open(history::Wholeness::not_required);
    if (!opened) return complain(opened.error().text, failed);
    const auto& build = **opened;
    auto found = build.find(asked);
    if (found && !*found) found = build.find(object_called(config, asked));
    if (!found) return complain(found.error().text, failed);
    const auto& version = build.release().version;
    if (!*found) {
        const auto why = complaint_of_class(build, asked.class_name);
        return complain(
            why.empty() ? asked.class_name + " " + asked.name + " is not in " + version : why,
            failed);
    }
    const auto object = build.load(**found);
    if (!object) return complain(object.error().text, failed);
    std::string nodes;
    tree::append_json(nodes, object->nodes);
    const auto json = tree::parse_json(nodes);
    if (!json) return complain(json.error().text, failed);
    print_tree(**found, version, json->root);
    return ok;
}

// Prints what the site answers at an address, as a client gets it that follows redirections, and like a request
// brings the object up to date first.
//   address       below base_url, "/rss?class=Gene&name=unc-26", or a whole URL
//   with_headers  prints the status and the fields too, of a redirection as well
int get(Services& services, const std::string& address, bool with_headers) {
    const OwnSite site(services);
    const auto url = site.below_site(address);
    if (!url.starts_with('/'))
        return complain("name an address of the site, such as '/history?class=Gene&name=unc-26'",
                        wrong_use);
    const auto response = with_headers ? site.answer(url) : site.follow(url);
    if (with_headers) {
        auto head = ::serve::head_of(response);
        std::erase(head, '\r');
        print_bytes(head);
    }
    const bool is_error = response.status >= (with_headers ? 400 : 300);
    if (response.body && (with_headers || !is_error)) print_bytes(*response.body);
    return is_error ? site.complain_of(response, url) : ok;
}

// What the address of a feed is asked with, by the name of the parameter.
using Parameters = std::map<std::string, std::string>;
int feed(Services& services, const Parameters& given, const std::vector<std::string>& objects,
         const std::string& release, const std::string& format) {
    auto query = Query(release.empty() ? "/rss" : "/release/" + release).with("object", objects);
    for (const auto& [name, value] : given) query = query.with(name, value);
    // The address of a release without a format is its page.
    if (!release.empty() || format != render::formats().front().name)
        query = query.with("format", format);
    return ask(services, query.url(), [](const std::string& body) {
        print_bytes(body);
        return ok;
    });
}

struct DiffOptions {
    ObjectName object;
    std::string from, to;  // releases
    std::string format = "text";
    std::string colour = "auto";  // always, never; auto: on a terminal that shows colours
};

// Like diff(1): 0 same, 1 different, 2 trouble.
int diff(Services& services, const DiffOptions& options) {
    constexpr int same = 0, different = 1, trouble = 2;
    const auto url = Query("/diff")
                         .with(options.object)
                         .with("from", options.from)
                         .with("to", options.to)
                         .with("format", "json")
                         .url();
    bool differs = false;
    const int status = ask(services, url, [&](const std::string& body) {
        const auto json = tree::parse_json(body);
        if (!json) return complain(json.error().text, failed);
        differs = std::string_view(json->root["kind"]) != "unchanged";
        const bool has_colour = wants_colour(options.colour, ::isatty(STDOUT_FILENO) == 1,
                                             std::getenv("NO_COLOR"), std::getenv("TERM"));
        print_bytes(
            options.format == "json"
                ? body
                : changes_text(json->root["changes"], has_colour ? Colour::ansi : Colour::none));
        warn_of_rest(json->root, "changes");
        return ok;
    });
    return status != ok ? trouble : differs ? different : same;
}

//   release  empty: from the current build, without the store; nothing is recorded then
int show(const Config& config, const ObjectName& object, const std::string& release) {
    if (release.empty()) return show_current(config, object);
    const auto url =
        Query("/object").with(object).with("release", release).with("format", "json");
    auto services = open_services(config);
    if (!services) return complain(services.error());
    return ask(*services, url.url(), show_past);
}

}  // namespace

void add_reading(Line& line) {
    auto& address = line.make<std::string>();
    auto& with_headers = line.make<bool>();
    auto* getting = line.program.add_subcommand(
        "get",
        "Print what the site answers at an address, such as '/history?class=Gene&name=unc-26'");
    getting->add_option("address", address, "The address, below base_url or as a URL")
        ->required();
    getting->add_flag("--headers", with_headers, "Print the status and the fields too");
    getting->callback(line.configured(get, address, with_headers));

    auto& given = line.make<Parameters>();
    auto& objects = line.make<std::vector<std::string>>();
    auto& release = line.make<std::string>();
    auto& format = line.make<std::string>();
    auto* feeding = line.program.add_subcommand(
        "feed",
        "Print the feed of an object, a class, a release or a watch list as the server would "
        "send it");
    feeding->add_option("class", given["class"], "Class of the object, e.g. Gene");
    feeding->add_option("name", given["name"],
                        "Name of the object; put -- before a name that begins with -");
    feeding->add_option("--class", given["class"], "The feed of a whole class");
    feeding->add_option("--release", release, "The feed of a release, e.g. WS187");
    feeding
        ->add_option("--object", objects,
                     "An object of a watch list, e.g. Gene:WBGene00006763; can be repeated")
        ->allow_extra_args(false);
    feeding
        ->add_option(
            "--mass", given["mass"],
            "no: leave out items that hold only changes shared by most objects of the class")
        ->check(CLI::IsMember({"no"}));
    std::vector<std::string> formats;
    for (const auto& each : render::formats()) formats.emplace_back(each.name);
    format = formats.front();
    feeding->add_option("--format", format, base::join(formats, ", "))
        ->check(CLI::IsMember(formats))
        ->capture_default_str();
    feeding->callback(line.configured(feed, given, objects, release, format));

    auto& compared = line.make<DiffOptions>();
    auto* differing = line.program.add_subcommand(
        "diff", "Compare an object in two releases; exits with 0 if they are the same, 1 if "
                "not, 2 on errors");
    add_object(differing, compared.object);
    differing->add_option("--from", compared.from, "The earlier release")->required();
    differing->add_option("--to", compared.to, "The later release")->required();
    differing->add_option("--format", compared.format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    differing
        ->add_option("--color", compared.colour,
                     "always, never, or auto: on a terminal, unless NO_COLOR is set")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
    differing->callback(line.configured(diff, compared));

    auto& object = line.make<ObjectName>();
    auto& shown = line.make<std::string>();
    auto* showing = line.program.add_subcommand("show", "Print the tree of an object");
    add_object(showing, object);
    showing->add_option("--release", shown, "Release to show; default: the current build")
        ->check([](const std::string& version) {
            return version.empty() ? std::string("needs a version, such as WS187")
                                   : std::string();
        });
    showing->callback(line.configured(show, object, shown));
}

}  // namespace app
