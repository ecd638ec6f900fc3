-- The store of Varve on MariaDB (10.5 or newer): docs/schema.md tells what each column means.
-- SPDX-License-Identifier: MIT
--
--   mariadb DATABASE < sql/objects_history.sql
--
-- Run twice it changes nothing; `varve init` runs these same statements where there is no schema
-- yet.
--
-- Days and times are text of fixed width, "2008-02-15" and "2008-02-15T09:15:20Z", so that
-- both engines hold the same bytes, order them the same way, and no session's time zone or
-- zero-date mode can change them.
-- utf8mb4_nopad_bin: 'a', 'A' and 'a ' are three keys, as they are for SQLite.

CREATE TABLE IF NOT EXISTS releases (
  version     VARCHAR(32) NOT NULL,
  released_on CHAR(10)    NOT NULL,
  PRIMARY KEY (version)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Accepted builds. The highest number of a version is its newest publication; it has a digest for each
-- kind of source that it was served from.
CREATE TABLE IF NOT EXISTS builds (
  number      BIGINT      NOT NULL,
  digest      VARCHAR(64) NOT NULL,
  version     VARCHAR(32) NOT NULL,
  accepted_at CHAR(20)    NOT NULL,
  recorded_at CHAR(20)    NOT NULL DEFAULT '',
  unreadable  BIGINT      NOT NULL DEFAULT 0,
  PRIMARY KEY (number, digest),
  KEY builds_by_version (version, number),
  CONSTRAINT build_of_release FOREIGN KEY (version) REFERENCES releases (version)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS objects (
  oid                    BIGINT       NOT NULL AUTO_INCREMENT,
  class                  VARCHAR(64)  NOT NULL,
  name                   VARCHAR(512) NOT NULL,
  name_key               VARCHAR(512) NOT NULL,
  label                  VARCHAR(512) NOT NULL DEFAULT '',
  signature              CHAR(32)     NOT NULL DEFAULT '',
  last_modification_date CHAR(10)     NOT NULL DEFAULT '2007-01-01',
  build                  BIGINT       NOT NULL DEFAULT 0,
  bytes                  BIGINT       NOT NULL DEFAULT 0,
  held                   VARCHAR(32)  NOT NULL DEFAULT '',
  hits                   BIGINT       NOT NULL DEFAULT 0,
  last_requested         CHAR(20)     NOT NULL DEFAULT '',
  label_key              VARCHAR(512) NOT NULL DEFAULT '',
  other_names            VARCHAR(4000) NOT NULL DEFAULT '',
  PRIMARY KEY (oid),
  UNIQUE KEY objects_by_name (class, name),
  KEY objects_by_key (name_key, class),
  KEY objects_by_hits (hits),
  KEY objects_by_label (label_key, class)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS history (
  sid         BIGINT      NOT NULL AUTO_INCREMENT,
  oid         BIGINT      NOT NULL,
  version     VARCHAR(32) NOT NULL,
  revision    BIGINT      NOT NULL DEFAULT 0,
  since       VARCHAR(32) NOT NULL DEFAULT '',
  date        CHAR(10)    NOT NULL,
  recorded_at CHAR(20)    NOT NULL,
  signature   CHAR(32)    NOT NULL DEFAULT '',
  kind        VARCHAR(16) NOT NULL,
  label       LONGTEXT    NOT NULL,
  notes       LONGTEXT    NOT NULL,
  class       VARCHAR(64)  NOT NULL DEFAULT '',
  name        VARCHAR(512) NOT NULL DEFAULT '',
  content     CHAR(32)    NOT NULL DEFAULT '',
  quiet       VARCHAR(8)  NOT NULL DEFAULT '',
  PRIMARY KEY (sid),
  UNIQUE KEY history_by_object (oid, version),
  KEY history_by_name (version, class, name, kind, quiet),
  KEY history_by_recording (version, sid, class, kind),
  KEY history_by_kind (version, class, kind, quiet, content),
  CONSTRAINT history_of_object FOREIGN KEY (oid) REFERENCES objects (oid),
  CONSTRAINT history_of_release FOREIGN KEY (version) REFERENCES releases (version)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS trees (
  oid     BIGINT      NOT NULL,
  version VARCHAR(32) NOT NULL,
  since   VARCHAR(32) NOT NULL DEFAULT '',
  tree    LONGBLOB    NULL,
  PRIMARY KEY (oid, version),
  CONSTRAINT tree_of_object FOREIGN KEY (oid) REFERENCES objects (oid),
  CONSTRAINT tree_of_release FOREIGN KEY (version) REFERENCES releases (version)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS accepted (
  version     VARCHAR(32) NOT NULL,
  digest      VARCHAR(64) NOT NULL,
  accepted_at CHAR(20)    NOT NULL,
  PRIMARY KEY (version, digest)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS meta (
  name  VARCHAR(64) NOT NULL,
  value BIGINT      NOT NULL,
  text  VARCHAR(32) NOT NULL DEFAULT '',
  PRIMARY KEY (name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Who works on which part of a release job now, and what came of the parts that are done.
CREATE TABLE IF NOT EXISTS parts (
  task       VARCHAR(160) NOT NULL,
  part       BIGINT       NOT NULL,
  owner      VARCHAR(160) NOT NULL,
  expires_at CHAR(20)     NOT NULL,
  done       BIGINT       NOT NULL DEFAULT 0,
  result     LONGTEXT     NOT NULL,
  PRIMARY KEY (task, part)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Places that a release changed in most objects of a class.
CREATE TABLE IF NOT EXISTS mass_changes (
  version    VARCHAR(32)  NOT NULL,
  class      VARCHAR(64)  NOT NULL,
  path       VARCHAR(512) NOT NULL,
  objects    BIGINT       NOT NULL,
  of_objects BIGINT       NOT NULL,
  PRIMARY KEY (version, class, path)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- The words by which objects are found. A row whose object has the word no longer does no harm.
CREATE TABLE IF NOT EXISTS words (
  word  VARCHAR(64)  NOT NULL,
  class VARCHAR(64)  NOT NULL,
  name  VARCHAR(512) NOT NULL,
  PRIMARY KEY (word, class, name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Who may read a private site.
CREATE TABLE IF NOT EXISTS tokens (
  name       VARCHAR(64) NOT NULL,
  token_hash CHAR(64)    NOT NULL,
  created_at CHAR(20)    NOT NULL,
  PRIMARY KEY (name),
  UNIQUE KEY tokens_by_hash (token_hash)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Watch lists that are kept under a short address.
CREATE TABLE IF NOT EXISTS watch_lists (
  id         CHAR(16)    NOT NULL,
  objects    LONGTEXT    NOT NULL,
  created_at CHAR(20)    NOT NULL,
  last_used  CHAR(10)    NOT NULL,
  PRIMARY KEY (id),
  KEY watch_lists_by_use (last_used)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Feeds that are or were subscribed to at the hub, up to where their subscribers have them, and when they are looked at next.
CREATE TABLE IF NOT EXISTS topics (
  id         BIGINT NOT NULL AUTO_INCREMENT,
  url        VARCHAR(2048) NOT NULL,
  url_digest VARCHAR(64) NOT NULL,
  subject    VARCHAR(16) NOT NULL,
  class      VARCHAR(64) NOT NULL,
  name       VARCHAR(512) NOT NULL,
  version    VARCHAR(32) NOT NULL,
  position   VARCHAR(128) NOT NULL DEFAULT '',
  newest     BIGINT NOT NULL DEFAULT 0,
  sequence   BIGINT NOT NULL DEFAULT 0,
  look_at    CHAR(20) NOT NULL DEFAULT '',
  tries      BIGINT NOT NULL DEFAULT 0,
  claim      BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (id),
  UNIQUE KEY topics_by_url (url_digest),
  KEY topics_by_subject (subject, class, name),
  KEY topics_by_look (look_at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What subscribers asked for and have not confirmed.
CREATE TABLE IF NOT EXISTS hub_requests (
  id              BIGINT NOT NULL AUTO_INCREMENT,
  topic           BIGINT NOT NULL,
  callback        VARCHAR(2048) NOT NULL,
  callback_digest VARCHAR(64) NOT NULL,
  host            VARCHAR(255) NOT NULL,
  network         VARCHAR(64) NOT NULL,
  mode            VARCHAR(16) NOT NULL,
  topic_url       VARCHAR(2048) NOT NULL,
  secret          VARCHAR(255) NOT NULL,
  method          VARCHAR(8) NOT NULL,
  lease           BIGINT NOT NULL,
  reader          VARCHAR(64) NOT NULL,
  since           BIGINT NOT NULL,
  received_at     CHAR(20) NOT NULL,
  due_at          CHAR(20) NOT NULL,
  tries           BIGINT NOT NULL DEFAULT 0,
  claim           BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (id),
  UNIQUE KEY hub_requests_by_callback (topic, callback_digest),
  KEY hub_requests_by_due (due_at),
  KEY hub_requests_by_network (network)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Who gets what until when, and what waits.
CREATE TABLE IF NOT EXISTS subscriptions (
  id              BIGINT NOT NULL AUTO_INCREMENT,
  topic           BIGINT NOT NULL,
  callback        VARCHAR(2048) NOT NULL,
  callback_digest VARCHAR(64) NOT NULL,
  host            VARCHAR(255) NOT NULL,
  topic_url       VARCHAR(2048) NOT NULL DEFAULT '',
  secret          VARCHAR(255) NOT NULL DEFAULT '',
  method          VARCHAR(8) NOT NULL DEFAULT '',
  reader          VARCHAR(64) NOT NULL DEFAULT '',
  expires_at      CHAR(20) NOT NULL DEFAULT '',
  delivered       BIGINT NOT NULL DEFAULT 0,
  queued          BIGINT NOT NULL DEFAULT 0,
  due_at          CHAR(20) NOT NULL DEFAULT '',
  tries           BIGINT NOT NULL DEFAULT 0,
  failing_since   CHAR(20) NOT NULL DEFAULT '',
  given_up        BIGINT NOT NULL DEFAULT 0,
  claim           BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (id),
  UNIQUE KEY subscriptions_by_callback (topic, callback_digest),
  KEY subscriptions_by_host (host),
  KEY subscriptions_by_due (due_at),
  KEY subscriptions_by_expiry (expires_at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What was new in a topic, kept until all of its subscribers have it.
CREATE TABLE IF NOT EXISTS notifications (
  topic        BIGINT NOT NULL,
  number       BIGINT NOT NULL,
  content_type VARCHAR(255) NOT NULL,
  body         LONGBLOB NOT NULL,
  made_at      CHAR(20) NOT NULL,
  PRIMARY KEY (topic, number),
  KEY notifications_by_time (made_at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What hubs note: counts of outcomes, and what was looked at when news was looked for last.
CREATE TABLE IF NOT EXISTS hub_notes (
  name   VARCHAR(64) NOT NULL,
  number BIGINT NOT NULL DEFAULT 0,
  text   VARCHAR(512) NOT NULL DEFAULT '',
  PRIMARY KEY (name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Source feeds: what is known of each, and when it is fetched next.
CREATE TABLE IF NOT EXISTS feeds (
  id                  BIGINT NOT NULL AUTO_INCREMENT,
  url                 VARCHAR(2048) NOT NULL,
  url_digest          VARCHAR(64) NOT NULL,
  base_url            VARCHAR(300) NOT NULL,
  name                VARCHAR(255) NOT NULL DEFAULT '',
  created_at          CHAR(20) NOT NULL,
  last_read           CHAR(10) NOT NULL DEFAULT '',
  rss_title           VARCHAR(512) NOT NULL DEFAULT '',
  description         VARCHAR(1000) NOT NULL DEFAULT '',
  home_url            VARCHAR(2048) NOT NULL DEFAULT '',
  language            VARCHAR(32) NOT NULL DEFAULT '',
  most_kb             BIGINT NOT NULL DEFAULT 0,
  public_query        BIGINT NOT NULL DEFAULT 0,
  system_enabled      BIGINT NOT NULL DEFAULT 1,
  system_status       VARCHAR(255) NOT NULL DEFAULT '',
  last_fetch_attempt  CHAR(20) NOT NULL DEFAULT '',
  last_fetch_success  CHAR(20) NOT NULL DEFAULT '',
  last_fetch_hash     VARCHAR(32) NOT NULL DEFAULT '',
  last_fetch_failures BIGINT NOT NULL DEFAULT 0,
  http_etag           LONGBLOB NOT NULL DEFAULT '',
  http_last_modified  LONGBLOB NOT NULL DEFAULT '',
  http_304            BIGINT NOT NULL DEFAULT 0,
  next_fetch_attempt  CHAR(20) NOT NULL DEFAULT '',
  update_minutes      BIGINT NOT NULL DEFAULT 0,
  skip_times          BIGINT NOT NULL DEFAULT 0,
  poll_minutes        BIGINT NOT NULL DEFAULT 0,
  last_new_stories    CHAR(20) NOT NULL DEFAULT '',
  last_full_fetch     CHAR(20) NOT NULL DEFAULT '',
  moved_to            VARCHAR(2048) NOT NULL DEFAULT '',
  claim               BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (id),
  UNIQUE KEY feeds_by_url (url_digest),
  KEY feeds_by_next (next_fetch_attempt),
  KEY feeds_by_base (base_url)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What came of fetches, the newest ones of each feed.
CREATE TABLE IF NOT EXISTS fetch_events (
  id         BIGINT NOT NULL AUTO_INCREMENT,
  feed       BIGINT NOT NULL,
  created_at CHAR(20) NOT NULL,
  event      VARCHAR(16) NOT NULL,
  note       VARCHAR(255) NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  KEY fetch_events_by_feed (feed, id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Whom requests go to, and when the next one may.
CREATE TABLE IF NOT EXISTS base_urls (
  base_url VARCHAR(300) NOT NULL,
  free_at  CHAR(20) NOT NULL DEFAULT '',
  held     BIGINT NOT NULL DEFAULT 0,
  claim    BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (base_url)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- The entries of source feeds as they are now.
CREATE TABLE IF NOT EXISTS entries (
  id          BIGINT NOT NULL AUTO_INCREMENT,
  feed        BIGINT NOT NULL,
  guid        VARCHAR(2048) NOT NULL,
  guid_digest VARCHAR(32) NOT NULL,
  seen_digest VARCHAR(32) NOT NULL,
  link        VARCHAR(2048) NOT NULL DEFAULT '',
  title       VARCHAR(512) NOT NULL DEFAULT '',
  published   CHAR(20) NOT NULL DEFAULT '',
  first_seen  CHAR(20) NOT NULL,
  last_seen   CHAR(10) NOT NULL,
  revision    BIGINT NOT NULL DEFAULT 0,
  rules       BIGINT NOT NULL DEFAULT 0,
  tree        LONGBLOB NOT NULL,
  content     LONGBLOB NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY entries_by_guid (feed, guid_digest),
  KEY entries_by_time (feed, first_seen, id),
  KEY entries_by_window (feed, last_seen),
  KEY entries_by_rules (rules)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What later versions of an entry changed.
CREATE TABLE IF NOT EXISTS entry_changes (
  entry      BIGINT NOT NULL,
  revision   BIGINT NOT NULL,
  feed       BIGINT NOT NULL,
  created_at CHAR(20) NOT NULL,
  notes      LONGTEXT NOT NULL,
  PRIMARY KEY (entry, revision),
  KEY entry_changes_by_time (feed, created_at, entry, revision)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Which objects entries mention.
CREATE TABLE IF NOT EXISTS mentions (
  class        VARCHAR(64) NOT NULL,
  name         VARCHAR(512) NOT NULL,
  first_seen   CHAR(20) NOT NULL,
  entry        BIGINT NOT NULL,
  mentioned_at CHAR(20) NOT NULL,
  PRIMARY KEY (class, name, first_seen, entry),
  KEY mentions_by_entry (entry)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Archives of source feeds, which are walked backwards once.
CREATE TABLE IF NOT EXISTS archives (
  feed         BIGINT NOT NULL,
  kind         VARCHAR(16) NOT NULL,
  next_url     VARCHAR(2048) NOT NULL DEFAULT '',
  base_url     VARCHAR(300) NOT NULL DEFAULT '',
  state        VARCHAR(16) NOT NULL,
  status       VARCHAR(255) NOT NULL DEFAULT '',
  pages        BIGINT NOT NULL DEFAULT 0,
  added        BIGINT NOT NULL DEFAULT 0,
  failures     BIGINT NOT NULL DEFAULT 0,
  started_at   CHAR(20) NOT NULL,
  finished_at  CHAR(20) NOT NULL DEFAULT '',
  next_attempt CHAR(20) NOT NULL DEFAULT '',
  claim        BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (feed),
  KEY archives_by_next (next_attempt)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Pages of archives that a walk has read.
CREATE TABLE IF NOT EXISTS known_urls (
  feed       BIGINT NOT NULL,
  url_digest VARCHAR(64) NOT NULL,
  PRIMARY KEY (feed, url_digest)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What harvesters count.
CREATE TABLE IF NOT EXISTS harvest_notes (
  name   VARCHAR(64) NOT NULL,
  number BIGINT NOT NULL DEFAULT 0,
  text   VARCHAR(512) NOT NULL DEFAULT '',
  PRIMARY KEY (name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Last, because a schema that has its number is whole.
INSERT INTO meta (name, value) VALUES ('builds', 0), ('forgetting', 0), ('schema', 3)
  ON DUPLICATE KEY UPDATE value = value;
