-- Schema 11 made schema 12: the harvester has tables of its own. `varve init` runs it.
-- SPDX-License-Identifier: MIT

CREATE TABLE IF NOT EXISTS feeds (
  id                  INTEGER PRIMARY KEY AUTOINCREMENT,
  url                 TEXT NOT NULL CHECK (length(url) <= 2048),
  url_digest          TEXT NOT NULL CHECK (length(url_digest) <= 64),
  base_url            TEXT NOT NULL CHECK (length(base_url) <= 300),
  name                TEXT NOT NULL DEFAULT '' CHECK (length(name) <= 255),
  added_at            TEXT NOT NULL CHECK (length(added_at) <= 20),
  last_read           TEXT NOT NULL DEFAULT '' CHECK (length(last_read) <= 10),
  rss_title           TEXT NOT NULL DEFAULT '' CHECK (length(rss_title) <= 512),
  description         TEXT NOT NULL DEFAULT '' CHECK (length(description) <= 1000),
  home_url            TEXT NOT NULL DEFAULT '' CHECK (length(home_url) <= 2048),
  language            TEXT NOT NULL DEFAULT '' CHECK (length(language) <= 32),
  most_kb             INTEGER NOT NULL DEFAULT 0,
  system_enabled      INTEGER NOT NULL DEFAULT 1,
  system_status       TEXT NOT NULL DEFAULT '' CHECK (length(system_status) <= 255),
  last_fetch_attempt  TEXT NOT NULL DEFAULT '' CHECK (length(last_fetch_attempt) <= 20),
  last_fetch_success  TEXT NOT NULL DEFAULT '' CHECK (length(last_fetch_success) <= 20),
  last_fetch_hash     TEXT NOT NULL DEFAULT '' CHECK (length(last_fetch_hash) <= 32),
  last_fetch_failures INTEGER NOT NULL DEFAULT 0,
  http_etag           BLOB NOT NULL DEFAULT x'',
  http_last_modified  BLOB NOT NULL DEFAULT x'',
  http_304            INTEGER NOT NULL DEFAULT 0,
  next_fetch_attempt  TEXT NOT NULL DEFAULT '' CHECK (length(next_fetch_attempt) <= 20),
  queued              INTEGER NOT NULL DEFAULT 0,
  update_minutes      INTEGER NOT NULL DEFAULT 0,
  skip_times          INTEGER NOT NULL DEFAULT 0,
  poll_minutes        INTEGER NOT NULL DEFAULT 0,
  last_new_stories    TEXT NOT NULL DEFAULT '' CHECK (length(last_new_stories) <= 20),
  last_full_fetch     TEXT NOT NULL DEFAULT '' CHECK (length(last_full_fetch) <= 20),
  moved_to            TEXT NOT NULL DEFAULT '' CHECK (length(moved_to) <= 2048),
  writes              INTEGER NOT NULL DEFAULT 0,
  fetch_again         INTEGER NOT NULL DEFAULT 0,
  claim               INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS feeds_by_url ON feeds (url_digest);
CREATE INDEX IF NOT EXISTS feeds_by_next ON feeds (next_fetch_attempt);
CREATE INDEX IF NOT EXISTS feeds_by_base ON feeds (base_url);

CREATE TABLE IF NOT EXISTS fetch_events (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  feed       INTEGER NOT NULL,
  created_at TEXT NOT NULL CHECK (length(created_at) <= 20),
  event      TEXT NOT NULL CHECK (length(event) <= 16),
  note       TEXT NOT NULL DEFAULT '' CHECK (length(note) <= 255)
) STRICT;
CREATE INDEX IF NOT EXISTS fetch_events_by_feed ON fetch_events (feed, id);

CREATE TABLE IF NOT EXISTS base_urls (
  base_url      TEXT NOT NULL PRIMARY KEY CHECK (length(base_url) <= 300),
  free_at       TEXT NOT NULL DEFAULT '' CHECK (length(free_at) <= 20),
  planned_until TEXT NOT NULL DEFAULT '' CHECK (length(planned_until) <= 20),
  held_until    TEXT NOT NULL DEFAULT '' CHECK (length(held_until) <= 20),
  claim         INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE IF NOT EXISTS feed_hubs (
  feed       INTEGER NOT NULL PRIMARY KEY,
  hub_url    TEXT NOT NULL CHECK (length(hub_url) <= 2048),
  topic      TEXT NOT NULL CHECK (length(topic) <= 2048),
  token      TEXT NOT NULL CHECK (length(token) <= 32),
  secret     TEXT NOT NULL CHECK (length(secret) <= 64),
  asked_at   TEXT NOT NULL DEFAULT '' CHECK (length(asked_at) <= 20),
  expires_at TEXT NOT NULL DEFAULT '' CHECK (length(expires_at) <= 20),
  due_at     TEXT NOT NULL DEFAULT '' CHECK (length(due_at) <= 20),
  failures   INTEGER NOT NULL DEFAULT 0,
  pushed_at  TEXT NOT NULL DEFAULT '' CHECK (length(pushed_at) <= 20),
  missed_at  TEXT NOT NULL DEFAULT '' CHECK (length(missed_at) <= 20)
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS feed_hubs_by_token ON feed_hubs (token);
CREATE INDEX IF NOT EXISTS feed_hubs_by_due ON feed_hubs (due_at);

CREATE TABLE IF NOT EXISTS entries (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  feed        INTEGER NOT NULL,
  guid        TEXT NOT NULL CHECK (length(guid) <= 2048),
  guid_digest TEXT NOT NULL CHECK (length(guid_digest) <= 32),
  seen_digest TEXT NOT NULL CHECK (length(seen_digest) <= 32),
  link        TEXT NOT NULL DEFAULT '' CHECK (length(link) <= 2048),
  title       TEXT NOT NULL DEFAULT '' CHECK (length(title) <= 512),
  published   TEXT NOT NULL DEFAULT '' CHECK (length(published) <= 20),
  first_seen  TEXT NOT NULL CHECK (length(first_seen) <= 20),
  last_seen   TEXT NOT NULL CHECK (length(last_seen) <= 10),
  revision    INTEGER NOT NULL DEFAULT 0,
  tree        BLOB NOT NULL,
  content     BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS entries_by_guid ON entries (feed, guid_digest);
CREATE INDEX IF NOT EXISTS entries_by_time ON entries (feed, first_seen, id);
CREATE INDEX IF NOT EXISTS entries_by_window ON entries (feed, last_seen);

CREATE TABLE IF NOT EXISTS entry_changes (
  entry      INTEGER NOT NULL,
  revision   INTEGER NOT NULL,
  feed       INTEGER NOT NULL,
  created_at TEXT NOT NULL CHECK (length(created_at) <= 20),
  notes      TEXT NOT NULL,
  PRIMARY KEY (entry, revision)
) STRICT;
CREATE INDEX IF NOT EXISTS entry_changes_by_time ON entry_changes (feed, created_at, entry, revision);

CREATE TABLE IF NOT EXISTS mentions (
  class        TEXT NOT NULL CHECK (length(class) <= 64),
  name         TEXT NOT NULL CHECK (length(name) <= 512),
  first_seen   TEXT NOT NULL CHECK (length(first_seen) <= 20),
  entry        INTEGER NOT NULL,
  mentioned_at TEXT NOT NULL CHECK (length(mentioned_at) <= 20),
  PRIMARY KEY (class, name, first_seen, entry)
) STRICT;
CREATE INDEX IF NOT EXISTS mentions_by_entry ON mentions (entry);

CREATE TABLE IF NOT EXISTS archives (
  feed          INTEGER NOT NULL PRIMARY KEY,
  kind          TEXT NOT NULL CHECK (length(kind) <= 16),
  next_url      TEXT NOT NULL DEFAULT '' CHECK (length(next_url) <= 2048),
  state         TEXT NOT NULL CHECK (length(state) <= 16),
  status        TEXT NOT NULL DEFAULT '' CHECK (length(status) <= 255),
  pages         INTEGER NOT NULL DEFAULT 0,
  added         INTEGER NOT NULL DEFAULT 0,
  failures      INTEGER NOT NULL DEFAULT 0,
  started_at    TEXT NOT NULL CHECK (length(started_at) <= 20),
  finished_at   TEXT NOT NULL DEFAULT '' CHECK (length(finished_at) <= 20),
  next_attempt  TEXT NOT NULL DEFAULT '' CHECK (length(next_attempt) <= 20),
  claim         INTEGER NOT NULL DEFAULT 0,
  claimed_until TEXT NOT NULL DEFAULT '' CHECK (length(claimed_until) <= 20)
) STRICT;
CREATE INDEX IF NOT EXISTS archives_by_next ON archives (next_attempt);

CREATE TABLE IF NOT EXISTS known_urls (
  feed INTEGER NOT NULL,
  hash INTEGER NOT NULL,
  url  TEXT NOT NULL CHECK (length(url) <= 2048),
  PRIMARY KEY (feed, hash)
) STRICT;

CREATE TABLE IF NOT EXISTS harvest_notes (
  name   TEXT NOT NULL PRIMARY KEY CHECK (length(name) <= 64),
  number INTEGER NOT NULL DEFAULT 0,
  text   TEXT NOT NULL DEFAULT '' CHECK (length(text) <= 512)
) STRICT;
