# site.sh -- for scripts that run a whole site: its folder, and the user that runs it.
# SPDX-License-Identifier: MIT

# make_site NAME -- makes the folder $site, which is removed when the script ends. It is in memory
# where there is room and programs may run: databases flush their files often. The name is short
# because the path of a unix socket ends at 107 bytes.
make_site() {
    local parent=/dev/shm room
    room=$(df --output=avail -k "$parent" 2>/dev/null | tail -n 1)
    if [ "${room:-0}" -lt 4000000 ] || [ ! -w "$parent" ] || findmnt -no OPTIONS -T "$parent" | grep -qw noexec; then
        parent=/tmp
    fi
    site=$(mktemp -d "$parent/varve-$1.XXXXXX")
    trap 'rm -rf "$site"' EXIT
}

# copy_mariadb -- copies what starts MariaDB: the site's support/mariadb.
copy_mariadb() {
    local template
    template=$("$top/tests/support/mariadb" --template)
    mkdir "$site/support"
    cp "$top/tests/support/mariadb" "$site/support/"
    cp -r --sparse=always "$template" "$site/support/mariadb-data"
}

# run_in_site COMMAND… -- runs it in $site, as www-data when the script runs as root: Apache and
# MariaDB refuse to serve as root, and root may write into read-only files, so that the checks of
# those would prove nothing.
run_in_site() {
    local as_user=()
    if [ "$(id -u)" = 0 ]; then
        chown -R www-data: "$site"
        as_user=(setpriv --reuid=www-data --regid=www-data --clear-groups)
    fi
    (cd "$site" && "${as_user[@]}" env HOME="$site" TMPDIR="$site/work" PYTHONDONTWRITEBYTECODE=1 "$@")
}
