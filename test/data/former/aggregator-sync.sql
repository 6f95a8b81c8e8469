-- Migration 0001-connections.sql of an earlier release
CREATE TABLE connections (
  account_id text NOT NULL,
  link_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  released_at timestamptz,
  PRIMARY KEY (account_id, link_id)
);
