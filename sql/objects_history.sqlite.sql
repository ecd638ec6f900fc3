-- The store of Varve on SQLite (3.37 or newer): docs/schema.md tells what each column means.
-- SPDX-License-Identifier: MIT
--
--   sqlite3 var/history.db < sql/objects_history.sqlite.sql
--
-- The twin of objects_history.sql: same tables, same columns; a test compares them. Run twice
-- it changes nothing.
--
-- The CHECKs refuse what the columns of the other engine could not hold.

CREATE TABLE IF NOT EXISTS releases (
  version     TEXT NOT NULL PRIMARY KEY CHECK (length(version) <= 32),
  released_on TEXT NOT NULL CHECK (length(released_on) <= 10)
) STRICT;

-- Accepted builds. The highest number of a version is its newest publication; it has a digest for each
-- kind of source that it was served from.
CREATE TABLE IF NOT EXISTS builds (
  number      INTEGER NOT NULL,
  digest      TEXT NOT NULL CHECK (length(digest) <= 64),
  version     TEXT NOT NULL REFERENCES releases (version) CHECK (length(version) <= 32),
  accepted_at TEXT NOT NULL CHECK (length(accepted_at) <= 20),
  recorded_at TEXT NOT NULL DEFAULT '' CHECK (length(recorded_at) <= 20),
  unreadable  INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (number, digest)
) STRICT;
CREATE INDEX IF NOT EXISTS builds_by_version ON builds (version, number);

CREATE TABLE IF NOT EXISTS objects (
  oid                    INTEGER PRIMARY KEY AUTOINCREMENT,
  class                  TEXT NOT NULL CHECK (length(class) <= 64),
  name                   TEXT NOT NULL CHECK (length(name) <= 512),
  name_key               TEXT NOT NULL CHECK (length(name_key) <= 512),
  label                  TEXT NOT NULL DEFAULT '' CHECK (length(label) <= 512),
  signature              TEXT NOT NULL DEFAULT '' CHECK (length(signature) <= 32),
  last_modification_date TEXT NOT NULL DEFAULT '2007-01-01'
                         CHECK (length(last_modification_date) <= 10),
  build                  INTEGER NOT NULL DEFAULT 0,
  bytes                  INTEGER NOT NULL DEFAULT 0,
  held                   TEXT NOT NULL DEFAULT '' CHECK (length(held) <= 32),
  hits                   INTEGER NOT NULL DEFAULT 0,
  last_requested         TEXT NOT NULL DEFAULT '' CHECK (length(last_requested) <= 20),
  label_key              TEXT NOT NULL DEFAULT '' CHECK (length(label_key) <= 512),
  other_names            TEXT NOT NULL DEFAULT '' CHECK (length(other_names) <= 4000),
  UNIQUE (class, name)
) STRICT;
CREATE INDEX IF NOT EXISTS objects_by_key ON objects (name_key, class);
-- Most objects were never asked for, or have no label: a query with the same condition needs only the others.
CREATE INDEX IF NOT EXISTS objects_by_hits ON objects (hits) WHERE hits > 0;
CREATE INDEX IF NOT EXISTS objects_by_label ON objects (label_key, class) WHERE label_key <> '';

CREATE TABLE IF NOT EXISTS history (
  sid         INTEGER PRIMARY KEY AUTOINCREMENT,
  oid         INTEGER NOT NULL REFERENCES objects (oid),
  version     TEXT NOT NULL CHECK (length(version) <= 32),
  revision    INTEGER NOT NULL DEFAULT 0,
  since       TEXT NOT NULL DEFAULT '' CHECK (length(since) <= 32),
  date        TEXT NOT NULL CHECK (length(date) <= 10),
  recorded_at TEXT NOT NULL CHECK (length(recorded_at) <= 20),
  signature   TEXT NOT NULL DEFAULT '' CHECK (length(signature) <= 32),
  kind        TEXT NOT NULL CHECK (length(kind) <= 16),
  label       TEXT NOT NULL,
  notes       TEXT NOT NULL,
  class       TEXT NOT NULL DEFAULT '' CHECK (length(class) <= 64),
  name        TEXT NOT NULL DEFAULT '' CHECK (length(name) <= 512),
  content     TEXT NOT NULL DEFAULT '' CHECK (length(content) <= 32),
  quiet       TEXT NOT NULL DEFAULT '' CHECK (length(quiet) <= 8),
  UNIQUE (oid, version)
) STRICT;
CREATE INDEX IF NOT EXISTS history_by_name ON history (version, class, name, kind, quiet);
CREATE INDEX IF NOT EXISTS history_by_recording ON history (version, sid, class, kind);
CREATE INDEX IF NOT EXISTS history_by_kind ON history (version, class, kind, quiet, content);

CREATE TABLE IF NOT EXISTS trees (
  oid     INTEGER NOT NULL REFERENCES objects (oid),
  version TEXT NOT NULL CHECK (length(version) <= 32),
  since   TEXT NOT NULL DEFAULT '' CHECK (length(since) <= 32),
  tree    BLOB,
  PRIMARY KEY (oid, version)
) STRICT;

CREATE TABLE IF NOT EXISTS accepted (
  version     TEXT NOT NULL CHECK (length(version) <= 32),
  digest      TEXT NOT NULL CHECK (length(digest) <= 64),
  accepted_at TEXT NOT NULL CHECK (length(accepted_at) <= 20),
  PRIMARY KEY (version, digest)
) STRICT;

CREATE TABLE IF NOT EXISTS meta (
  name  TEXT NOT NULL PRIMARY KEY CHECK (length(name) <= 64),
  value INTEGER NOT NULL,
  text  TEXT NOT NULL DEFAULT '' CHECK (length(text) <= 32)
) STRICT;

-- Who works on which part of a release job now, and what came of the parts that are done.
CREATE TABLE IF NOT EXISTS parts (
  task       TEXT NOT NULL CHECK (length(task) <= 160),
  part       INTEGER NOT NULL,
  owner      TEXT NOT NULL CHECK (length(owner) <= 160),
  expires_at TEXT NOT NULL CHECK (length(expires_at) <= 20),
  done       INTEGER NOT NULL DEFAULT 0,
  result     TEXT NOT NULL,
  PRIMARY KEY (task, part)
) STRICT;

-- Places that a release changed in most objects of a class.
CREATE TABLE IF NOT EXISTS mass_changes (
  version    TEXT NOT NULL CHECK (length(version) <= 32),
  class      TEXT NOT NULL CHECK (length(class) <= 64),
  path       TEXT NOT NULL CHECK (length(path) <= 512),
  objects    INTEGER NOT NULL,
  of_objects INTEGER NOT NULL,
  PRIMARY KEY (version, class, path)
) STRICT;

-- The words by which objects are found. A row whose object has the word no longer does no harm.
CREATE TABLE IF NOT EXISTS words (
  word  TEXT NOT NULL CHECK (length(word) <= 64),
  class TEXT NOT NULL CHECK (length(class) <= 64),
  name  TEXT NOT NULL CHECK (length(name) <= 512),
  PRIMARY KEY (word, class, name)
) STRICT, WITHOUT ROWID;

-- Who may read a private site.
CREATE TABLE IF NOT EXISTS tokens (
  name       TEXT NOT NULL PRIMARY KEY CHECK (length(name) <= 64),
  token_hash TEXT NOT NULL UNIQUE CHECK (length(token_hash) <= 64),
  created_at TEXT NOT NULL CHECK (length(created_at) <= 20)
) STRICT;

-- Watch lists that are kept under a short address.
CREATE TABLE IF NOT EXISTS watch_lists (
  id         TEXT NOT NULL PRIMARY KEY CHECK (length(id) <= 16),
  objects    TEXT NOT NULL,
  created_at TEXT NOT NULL CHECK (length(created_at) <= 20),
  last_used  TEXT NOT NULL CHECK (length(last_used) <= 10)
) STRICT;
CREATE INDEX IF NOT EXISTS watch_lists_by_use ON watch_lists (last_used);

-- Feeds that are or were subscribed to at the hub, up to where their subscribers have them, and when they are looked at next.
CREATE TABLE IF NOT EXISTS topics (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  url        TEXT NOT NULL CHECK (length(url) <= 2048),
  url_digest TEXT NOT NULL CHECK (length(url_digest) <= 64),
  subject    TEXT NOT NULL CHECK (length(subject) <= 16),
  class      TEXT NOT NULL CHECK (length(class) <= 64),
  name       TEXT NOT NULL CHECK (length(name) <= 512),
  version    TEXT NOT NULL CHECK (length(version) <= 32),
  position   TEXT NOT NULL DEFAULT '' CHECK (length(position) <= 128),
  newest     INTEGER NOT NULL DEFAULT 0,
  sequence   INTEGER NOT NULL DEFAULT 0,
  look_at    TEXT NOT NULL DEFAULT '' CHECK (length(look_at) <= 20),
  tries      INTEGER NOT NULL DEFAULT 0,
  claim      INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS topics_by_url ON topics (url_digest);
CREATE INDEX IF NOT EXISTS topics_by_subject ON topics (subject, class, name);
CREATE INDEX IF NOT EXISTS topics_by_look ON topics (look_at);

-- What subscribers asked for and have not confirmed.
CREATE TABLE IF NOT EXISTS hub_requests (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  topic           INTEGER NOT NULL,
  callback        TEXT NOT NULL CHECK (length(callback) <= 2048),
  callback_digest TEXT NOT NULL CHECK (length(callback_digest) <= 64),
  host            TEXT NOT NULL CHECK (length(host) <= 255),
  network         TEXT NOT NULL CHECK (length(network) <= 64),
  mode            TEXT NOT NULL CHECK (length(mode) <= 16),
  topic_url       TEXT NOT NULL CHECK (length(topic_url) <= 2048),
  secret          TEXT NOT NULL CHECK (length(secret) <= 255),
  method          TEXT NOT NULL CHECK (length(method) <= 8),
  lease           INTEGER NOT NULL,
  reader          TEXT NOT NULL CHECK (length(reader) <= 64),
  since           INTEGER NOT NULL,
  received_at     TEXT NOT NULL CHECK (length(received_at) <= 20),
  due_at          TEXT NOT NULL CHECK (length(due_at) <= 20),
  tries           INTEGER NOT NULL DEFAULT 0,
  claim           INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS hub_requests_by_callback ON hub_requests (topic, callback_digest);
CREATE INDEX IF NOT EXISTS hub_requests_by_due ON hub_requests (due_at);
CREATE INDEX IF NOT EXISTS hub_requests_by_network ON hub_requests (network);

-- Who gets what until when, and what waits.
CREATE TABLE IF NOT EXISTS subscriptions (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  topic           INTEGER NOT NULL,
  callback        TEXT NOT NULL CHECK (length(callback) <= 2048),
  callback_digest TEXT NOT NULL CHECK (length(callback_digest) <= 64),
  host            TEXT NOT NULL CHECK (length(host) <= 255),
  topic_url       TEXT NOT NULL DEFAULT '' CHECK (length(topic_url) <= 2048),
  secret          TEXT NOT NULL DEFAULT '' CHECK (length(secret) <= 255),
  method          TEXT NOT NULL DEFAULT '' CHECK (length(method) <= 8),
  reader          TEXT NOT NULL DEFAULT '' CHECK (length(reader) <= 64),
  expires_at      TEXT NOT NULL DEFAULT '' CHECK (length(expires_at) <= 20),
  delivered       INTEGER NOT NULL DEFAULT 0,
  queued          INTEGER NOT NULL DEFAULT 0,
  due_at          TEXT NOT NULL DEFAULT '' CHECK (length(due_at) <= 20),
  tries           INTEGER NOT NULL DEFAULT 0,
  failing_since   TEXT NOT NULL DEFAULT '' CHECK (length(failing_since) <= 20),
  given_up        INTEGER NOT NULL DEFAULT 0,
  claim           INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS subscriptions_by_callback ON subscriptions (topic, callback_digest);
CREATE INDEX IF NOT EXISTS subscriptions_by_host ON subscriptions (host);
CREATE INDEX IF NOT EXISTS subscriptions_by_due ON subscriptions (due_at);
CREATE INDEX IF NOT EXISTS subscriptions_by_expiry ON subscriptions (expires_at);

-- What was new in a topic, kept until all of its subscribers have it.
CREATE TABLE IF NOT EXISTS notifications (
  topic        INTEGER NOT NULL,
  number       INTEGER NOT NULL,
  content_type TEXT NOT NULL CHECK (length(content_type) <= 255),
  body         BLOB NOT NULL,
  made_at      TEXT NOT NULL CHECK (length(made_at) <= 20),
  PRIMARY KEY (topic, number)
) STRICT;
CREATE INDEX IF NOT EXISTS notifications_by_time ON notifications (made_at);

-- What hubs note: counts of outcomes, and what was looked at when news was looked for last.
CREATE TABLE IF NOT EXISTS hub_notes (
  name   TEXT NOT NULL PRIMARY KEY CHECK (length(name) <= 64),
  number INTEGER NOT NULL DEFAULT 0,
  text   TEXT NOT NULL DEFAULT '' CHECK (length(text) <= 512)
) STRICT;

-- Source feeds: what is known of each, and when it is fetched next.
CREATE TABLE IF NOT EXISTS feeds (
  id                  INTEGER PRIMARY KEY AUTOINCREMENT,
  url                 TEXT NOT NULL CHECK (length(url) <= 2048),
  url_digest          TEXT NOT NULL CHECK (length(url_digest) <= 64),
  base_url            TEXT NOT NULL CHECK (length(base_url) <= 300),
  name                TEXT NOT NULL DEFAULT '' CHECK (length(name) <= 255),
  created_at          TEXT NOT NULL CHECK (length(created_at) <= 20),
  last_read           TEXT NOT NULL DEFAULT '' CHECK (length(last_read) <= 10),
  rss_title           TEXT NOT NULL DEFAULT '' CHECK (length(rss_title) <= 512),
  description         TEXT NOT NULL DEFAULT '' CHECK (length(description) <= 1000),
  home_url            TEXT NOT NULL DEFAULT '' CHECK (length(home_url) <= 2048),
  language            TEXT NOT NULL DEFAULT '' CHECK (length(language) <= 32),
  most_kb             INTEGER NOT NULL DEFAULT 0,
  public_query        INTEGER NOT NULL DEFAULT 0,
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
  update_minutes      INTEGER NOT NULL DEFAULT 0,
  skip_times          INTEGER NOT NULL DEFAULT 0,
  poll_minutes        INTEGER NOT NULL DEFAULT 0,
  last_new_stories    TEXT NOT NULL DEFAULT '' CHECK (length(last_new_stories) <= 20),
  last_full_fetch     TEXT NOT NULL DEFAULT '' CHECK (length(last_full_fetch) <= 20),
  moved_to            TEXT NOT NULL DEFAULT '' CHECK (length(moved_to) <= 2048),
  claim               INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS feeds_by_url ON feeds (url_digest);
CREATE INDEX IF NOT EXISTS feeds_by_next ON feeds (next_fetch_attempt);
CREATE INDEX IF NOT EXISTS feeds_by_base ON feeds (base_url);

-- What came of fetches, the newest ones of each feed.
CREATE TABLE IF NOT EXISTS fetch_events (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  feed       INTEGER NOT NULL,
  created_at TEXT NOT NULL CHECK (length(created_at) <= 20),
  event      TEXT NOT NULL CHECK (length(event) <= 16),
  note       TEXT NOT NULL DEFAULT '' CHECK (length(note) <= 255)
) STRICT;
CREATE INDEX IF NOT EXISTS fetch_events_by_feed ON fetch_events (feed, id);

-- Whom requests go to, and when the next one may.
CREATE TABLE IF NOT EXISTS base_urls (
  base_url TEXT NOT NULL PRIMARY KEY CHECK (length(base_url) <= 300),
  free_at  TEXT NOT NULL DEFAULT '' CHECK (length(free_at) <= 20),
  held     INTEGER NOT NULL DEFAULT 0,
  claim    INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The entries of source feeds as they are now.
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
  rules       INTEGER NOT NULL DEFAULT 0,
  tree        BLOB NOT NULL,
  content     BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS entries_by_guid ON entries (feed, guid_digest);
CREATE INDEX IF NOT EXISTS entries_by_time ON entries (feed, first_seen, id);
CREATE INDEX IF NOT EXISTS entries_by_window ON entries (feed, last_seen);
CREATE INDEX IF NOT EXISTS entries_by_rules ON entries (rules);

-- What later versions of an entry changed.
CREATE TABLE IF NOT EXISTS entry_changes (
  entry      INTEGER NOT NULL,
  revision   INTEGER NOT NULL,
  feed       INTEGER NOT NULL,
  created_at TEXT NOT NULL CHECK (length(created_at) <= 20),
  notes      TEXT NOT NULL,
  PRIMARY KEY (entry, revision)
) STRICT;
CREATE INDEX IF NOT EXISTS entry_changes_by_time ON entry_changes (feed, created_at, entry, revision);

-- Which objects entries mention.
CREATE TABLE IF NOT EXISTS mentions (
  class        TEXT NOT NULL CHECK (length(class) <= 64),
  name         TEXT NOT NULL CHECK (length(name) <= 512),
  first_seen   TEXT NOT NULL CHECK (length(first_seen) <= 20),
  entry        INTEGER NOT NULL,
  mentioned_at TEXT NOT NULL CHECK (length(mentioned_at) <= 20),
  PRIMARY KEY (class, name, first_seen, entry)
) STRICT;
CREATE INDEX IF NOT EXISTS mentions_by_entry ON mentions (entry);

-- Archives of source feeds, which are walked backwards once.
CREATE TABLE IF NOT EXISTS archives (
  feed         INTEGER NOT NULL PRIMARY KEY,
  kind         TEXT NOT NULL CHECK (length(kind) <= 16),
  next_url     TEXT NOT NULL DEFAULT '' CHECK (length(next_url) <= 2048),
  base_url     TEXT NOT NULL DEFAULT '' CHECK (length(base_url) <= 300),
  state        TEXT NOT NULL CHECK (length(state) <= 16),
  status       TEXT NOT NULL DEFAULT '' CHECK (length(status) <= 255),
  pages        INTEGER NOT NULL DEFAULT 0,
  added        INTEGER NOT NULL DEFAULT 0,
  failures     INTEGER NOT NULL DEFAULT 0,
  started_at   TEXT NOT NULL CHECK (length(started_at) <= 20),
  finished_at  TEXT NOT NULL DEFAULT '' CHECK (length(finished_at) <= 20),
  next_attempt TEXT NOT NULL DEFAULT '' CHECK (length(next_attempt) <= 20),
  claim        INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX IF NOT EXISTS archives_by_next ON archives (next_attempt);

-- Pages of archives that a walk has read.
CREATE TABLE IF NOT EXISTS known_urls (
  feed       INTEGER NOT NULL,
  url_digest TEXT NOT NULL CHECK (length(url_digest) <= 64),
  PRIMARY KEY (feed, url_digest)
) STRICT;

-- What harvesters count.
CREATE TABLE IF NOT EXISTS harvest_notes (
  name   TEXT NOT NULL PRIMARY KEY CHECK (length(name) <= 64),
  number INTEGER NOT NULL DEFAULT 0,
  text   TEXT NOT NULL DEFAULT '' CHECK (length(text) <= 512)
) STRICT;

-- Last, because a schema that has its number is whole.
INSERT INTO meta (name, value) VALUES ('builds', 0), ('forgetting', 0), ('schema', 3)
  ON CONFLICT (name) DO NOTHING;
