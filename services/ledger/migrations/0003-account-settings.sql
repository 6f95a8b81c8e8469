-- What jobs need to know of an account; identity owns it. The first upload brings the settings of
-- its caller (version 0), identity's events whatever comes later.
CREATE TABLE account_settings (
  account_id text PRIMARY KEY,
  timezone text NOT NULL,
  locale text NOT NULL,
  version bigint NOT NULL
);
