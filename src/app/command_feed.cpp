// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>

#include "app/commands.hpp"
#include "app/config_keys.hpp"
#include "app/suggestion.hpp"
#include "base/text.hpp"
#include "render/feed.hpp"
#include "serve/parameters.hpp"
#include "tables/releases.hpp"

namespace app {
namespace {

using base::Result;
using ::serve::Query;

// Returns the URL of what is asked for. The pages for people have addresses of their own; the formats of a feed
// share one.
Result<std::string> url_for(const FeedOptions& options) {
    const bool is_object = !options.object.class_name.empty();
    const int subjects = (is_object ? 1 : 0) + (options.class_name.empty() ? 0 : 1) +
                         (options.release.empty() ? 0 : 1) + (options.objects.empty() ? 0 : 1);
    if (subjects != 1 || is_object == options.object.name.empty())
        return wrong("choose the feed with exactly one of CLASS NAME, --class C, "
                     "--release R and --object C:N, which can be repeated");
    std::vector<tree::ObjectName> objects;
    for (const auto& each : options.objects) {
        const auto object = object_of(each);
        if (!object) return base::fail_at("--object", object.error());
        objects.push_back(*object);
    }
    if (!options.release.empty())
        if (const auto version = version_of(options.release); !version)
            return base::fail_at("--release", version.error());
    const bool is_page = options.format == "html";
    Query query(!options.release.empty() ? "/release/" + options.release
                : !is_page               ? "/rss"
                : is_object              ? "/history"
                : !objects.empty()       ? "/watch"
                                         : "/");
    query = query.with("class", options.class_name).with(objects);
    if (is_object) query = query.with(options.object);
    if (is_page) return query.url();
    // The address of a release without a format is its page.
    const bool is_default = options.format == render::formats().front().name;
    if (!is_default || !options.release.empty()) query = query.with("format", options.format);
    return query.with("mass", options.mass).url();
}

::serve::Request request_for(std::string_view url) {
    ::serve::Request request;
    const auto query = url.find('?');
    request.path = url.substr(0, query);
    if (query != std::string_view::npos) request.query = url.substr(query + 1);
    return request;
}

// Says why a release has no feed.
std::string complaint_of_release(store::Pool& pool, const std::string& version) {
    std::vector<std::string> versions;
    store::perform(pool, store::Access::read, [&](store::Transaction& transaction) {
        versions.clear();
        const auto releases = tables::load_releases(transaction);
        for (const auto& release : releases.all()) versions.push_back(release.version);
    });
    if (std::ranges::find(versions, version) != versions.end())
        return "release " + version +
               " is newer than the current release; its feed is available once it is current";
    return "no release " + version + " is known" + did_you_mean(version, versions);
}

}  // namespace

int feed(const Config& config, const FeedOptions& options) {
    const auto url = url_for(options);
    if (!url) return complain(url.error().text, wrong_use);
    auto services = open_services(config);
    if (!services) return complain(services.error().text, status_of(services.error()));
    look_at_build(*services->current);
    const auto site = open_site(*services, Asker::operator_of_it);
    auto request = request_for(*url);
    auto response = site->answer(request);
    // What the server would send after the redirection: the object is spelled otherwise, or people
    // call it what was asked for.
    if (response.status == 301 || response.status == 302) {
        if (response.status == 302) complain(base::trim(*response.body), ok);
        const auto location = std::string(response.field("Location"));
        request.query = location.substr(location.find('?') + 1);
        response = site->answer(request);
    }
    const auto build = services->current->build();
    const auto& class_name =
        options.class_name.empty() ? options.object.class_name : options.class_name;
    if (response.status == 404 && build && !class_name.empty())
        if (const auto why = complaint_of_class(*build, class_name); !why.empty())
            return complain(why, failed);
    if (response.status == 404 && !options.release.empty())
        return complain(complaint_of_release(*services->pool, options.release), failed);
    if (response.status != 200)
        return complain(response.body ? base::trim(*response.body) : "no answer", failed);
    std::fwrite(response.body->data(), 1, response.body->size(), stdout);
    return std::fflush(stdout) == 0 ? ok : complain("cannot write the feed", failed);
}

}  // namespace app
