-- Schema 10 made schema 11: the WebSub hub has tables of its own. `varve init` runs it.
-- SPDX-License-Identifier: MIT

CREATE TABLE IF NOT EXISTS topics (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  url           TEXT NOT NULL CHECK (length(url) <= 2048),
  url_digest    TEXT NOT NULL CHECK (length(url_digest) <= 64),
  subject       TEXT NOT NULL CHECK (length(subject) <= 16),
  class         TEXT NOT NULL CHECK (length(class) <= 64),
  name          TEXT NOT NULL CHECK (length(name) <= 512),
  version       TEXT NOT NULL CHECK (length(version) <= 32),
  position      TEXT NOT NULL DEFAULT '' CHECK (length(position) <= 128),
  notifications INTEGER NOT NULL DEFAULT 0,
  activations   INTEGER NOT NULL DEFAULT 0,
  looked_in     TEXT NOT NULL DEFAULT '' CHECK (length(looked_in) <= 32),
  row_seen      TEXT NOT NULL DEFAULT '' CHECK (length(row_seen) <= 96)
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS topics_by_url ON topics (url_digest);
CREATE INDEX IF NOT EXISTS topics_by_object ON topics (class, name);
CREATE INDEX IF NOT EXISTS topics_by_subject ON topics (subject, looked_in);

CREATE TABLE IF NOT EXISTS subscriptions (
  id                 INTEGER PRIMARY KEY AUTOINCREMENT,
  topic              INTEGER NOT NULL,
  callback           TEXT NOT NULL CHECK (length(callback) <= 2048),
  callback_digest    TEXT NOT NULL CHECK (length(callback_digest) <= 64),
  host               TEXT NOT NULL CHECK (length(host) <= 255),
  expires_at         TEXT NOT NULL DEFAULT '' CHECK (length(expires_at) <= 20),
  topic_url          TEXT NOT NULL DEFAULT '' CHECK (length(topic_url) <= 2048),
  secret             TEXT NOT NULL DEFAULT '' CHECK (length(secret) <= 255),
  method             TEXT NOT NULL DEFAULT '' CHECK (length(method) <= 8),
  lease              INTEGER NOT NULL DEFAULT 0,
  reader             TEXT NOT NULL DEFAULT '' CHECK (length(reader) <= 64),
  verify_token       TEXT NOT NULL DEFAULT '' CHECK (length(verify_token) <= 512),
  speaks_03          INTEGER NOT NULL DEFAULT 0,
  renewal_of         TEXT NOT NULL DEFAULT '' CHECK (length(renewal_of) <= 20),
  asked              TEXT NOT NULL DEFAULT '' CHECK (length(asked) <= 16),
  asked_number       INTEGER NOT NULL DEFAULT 0,
  asked_at           TEXT NOT NULL DEFAULT '' CHECK (length(asked_at) <= 20),
  asked_from         INTEGER NOT NULL DEFAULT 0,
  asked_topic_url    TEXT NOT NULL DEFAULT '' CHECK (length(asked_topic_url) <= 2048),
  asked_secret       TEXT NOT NULL DEFAULT '' CHECK (length(asked_secret) <= 255),
  asked_method       TEXT NOT NULL DEFAULT '' CHECK (length(asked_method) <= 8),
  asked_lease        INTEGER NOT NULL DEFAULT 0,
  asked_reader       TEXT NOT NULL DEFAULT '' CHECK (length(asked_reader) <= 64),
  asked_verify_token TEXT NOT NULL DEFAULT '' CHECK (length(asked_verify_token) <= 512),
  asked_speaks_03    INTEGER NOT NULL DEFAULT 0,
  verify_at          TEXT NOT NULL DEFAULT '' CHECK (length(verify_at) <= 20),
  verify_tries       INTEGER NOT NULL DEFAULT 0,
  verify_claim       INTEGER NOT NULL DEFAULT 0,
  delivered          INTEGER NOT NULL DEFAULT 0,
  queued             INTEGER NOT NULL DEFAULT 0,
  due_at             TEXT NOT NULL DEFAULT '' CHECK (length(due_at) <= 20),
  tries              INTEGER NOT NULL DEFAULT 0,
  failing_since      TEXT NOT NULL DEFAULT '' CHECK (length(failing_since) <= 20),
  given_up           INTEGER NOT NULL DEFAULT 0,
  claim              INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS subscriptions_by_callback ON subscriptions (topic, callback_digest);
CREATE INDEX IF NOT EXISTS subscriptions_by_host ON subscriptions (host, asked);
CREATE INDEX IF NOT EXISTS subscriptions_by_due ON subscriptions (due_at, host);
CREATE INDEX IF NOT EXISTS subscriptions_by_verification ON subscriptions (verify_at);
CREATE INDEX IF NOT EXISTS subscriptions_by_expiry ON subscriptions (expires_at);

CREATE TABLE IF NOT EXISTS notifications (
  topic        INTEGER NOT NULL,
  number       INTEGER NOT NULL,
  content_type TEXT NOT NULL CHECK (length(content_type) <= 255),
  body         BLOB NOT NULL,
  made_at      TEXT NOT NULL CHECK (length(made_at) <= 20),
  PRIMARY KEY (topic, number)
) STRICT;
CREATE INDEX IF NOT EXISTS notifications_by_time ON notifications (made_at);

CREATE TABLE IF NOT EXISTS hub_notes (
  name   TEXT NOT NULL PRIMARY KEY CHECK (length(name) <= 64),
  number INTEGER NOT NULL DEFAULT 0,
  text   TEXT NOT NULL DEFAULT '' CHECK (length(text) <= 512)
) STRICT;
