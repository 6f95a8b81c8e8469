-- The places where processes have lately stored uploaded files. Two of them mean that a file of one
-- process may be missing in another.
CREATE TABLE file_places (
  place text PRIMARY KEY,
  host text NOT NULL,
  seen_at timestamptz NOT NULL
);
