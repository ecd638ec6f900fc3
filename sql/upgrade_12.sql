-- Schema 11 made schema 12: the harvester has tables of its own. `varve init` runs it.
-- SPDX-License-Identifier: MIT

CREATE TABLE IF NOT EXISTS feeds (
  id                  BIGINT NOT NULL AUTO_INCREMENT,
  url                 VARCHAR(2048) NOT NULL,
  url_digest          VARCHAR(64) NOT NULL,
  base_url            VARCHAR(300) NOT NULL,
  name                VARCHAR(255) NOT NULL DEFAULT '',
  added_at            CHAR(20) NOT NULL,
  last_read           CHAR(10) NOT NULL DEFAULT '',
  rss_title           VARCHAR(512) NOT NULL DEFAULT '',
  description         VARCHAR(1000) NOT NULL DEFAULT '',
  home_url            VARCHAR(2048) NOT NULL DEFAULT '',
  language            VARCHAR(32) NOT NULL DEFAULT '',
  most_kb             BIGINT NOT NULL DEFAULT 0,
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
  queued              BIGINT NOT NULL DEFAULT 0,
  update_minutes      BIGINT NOT NULL DEFAULT 0,
  skip_times          BIGINT NOT NULL DEFAULT 0,
  poll_minutes        BIGINT NOT NULL DEFAULT 0,
  last_new_stories    CHAR(20) NOT NULL DEFAULT '',
  last_full_fetch     CHAR(20) NOT NULL DEFAULT '',
  moved_to            VARCHAR(2048) NOT NULL DEFAULT '',
  writes              BIGINT NOT NULL DEFAULT 0,
  fetch_again         BIGINT NOT NULL DEFAULT 0,
  claim               BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (id),
  UNIQUE KEY feeds_by_url (url_digest),
  KEY feeds_by_next (next_fetch_attempt),
  KEY feeds_by_base (base_url)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS fetch_events (
  id         BIGINT NOT NULL AUTO_INCREMENT,
  feed       BIGINT NOT NULL,
  created_at CHAR(20) NOT NULL,
  event      VARCHAR(16) NOT NULL,
  note       VARCHAR(255) NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  KEY fetch_events_by_feed (feed, id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS base_urls (
  base_url      VARCHAR(300) NOT NULL,
  free_at       CHAR(20) NOT NULL DEFAULT '',
  planned_until CHAR(20) NOT NULL DEFAULT '',
  held_until    CHAR(20) NOT NULL DEFAULT '',
  claim         BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (base_url)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS feed_hubs (
  feed       BIGINT NOT NULL,
  hub_url    VARCHAR(2048) NOT NULL,
  topic      VARCHAR(2048) NOT NULL,
  token      VARCHAR(32) NOT NULL,
  secret     VARCHAR(64) NOT NULL,
  asked_at   CHAR(20) NOT NULL DEFAULT '',
  expires_at CHAR(20) NOT NULL DEFAULT '',
  due_at     CHAR(20) NOT NULL DEFAULT '',
  failures   BIGINT NOT NULL DEFAULT 0,
  pushed_at  CHAR(20) NOT NULL DEFAULT '',
  missed_at  CHAR(20) NOT NULL DEFAULT '',
  PRIMARY KEY (feed),
  UNIQUE KEY feed_hubs_by_token (token),
  KEY feed_hubs_by_due (due_at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

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
  tree        LONGBLOB NOT NULL,
  content     LONGBLOB NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY entries_by_guid (feed, guid_digest),
  KEY entries_by_time (feed, first_seen, id),
  KEY entries_by_window (feed, last_seen)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS entry_changes (
  entry      BIGINT NOT NULL,
  revision   BIGINT NOT NULL,
  feed       BIGINT NOT NULL,
  created_at CHAR(20) NOT NULL,
  notes      LONGTEXT NOT NULL,
  PRIMARY KEY (entry, revision),
  KEY entry_changes_by_time (feed, created_at, entry, revision)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS mentions (
  class        VARCHAR(64) NOT NULL,
  name         VARCHAR(512) NOT NULL,
  first_seen   CHAR(20) NOT NULL,
  entry        BIGINT NOT NULL,
  mentioned_at CHAR(20) NOT NULL,
  PRIMARY KEY (class, name, first_seen, entry),
  KEY mentions_by_entry (entry)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS archives (
  feed          BIGINT NOT NULL,
  kind          VARCHAR(16) NOT NULL,
  next_url      VARCHAR(2048) NOT NULL DEFAULT '',
  state         VARCHAR(16) NOT NULL,
  status        VARCHAR(255) NOT NULL DEFAULT '',
  pages         BIGINT NOT NULL DEFAULT 0,
  added         BIGINT NOT NULL DEFAULT 0,
  failures      BIGINT NOT NULL DEFAULT 0,
  started_at    CHAR(20) NOT NULL,
  finished_at   CHAR(20) NOT NULL DEFAULT '',
  next_attempt  CHAR(20) NOT NULL DEFAULT '',
  claim         BIGINT NOT NULL DEFAULT 0,
  claimed_until CHAR(20) NOT NULL DEFAULT '',
  PRIMARY KEY (feed),
  KEY archives_by_next (next_attempt)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS known_urls (
  feed BIGINT NOT NULL,
  hash BIGINT NOT NULL,
  url  VARCHAR(2048) NOT NULL,
  PRIMARY KEY (feed, hash)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS harvest_notes (
  name   VARCHAR(64) NOT NULL,
  number BIGINT NOT NULL DEFAULT 0,
  text   VARCHAR(512) NOT NULL DEFAULT '',
  PRIMARY KEY (name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
