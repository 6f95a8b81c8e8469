-- Browser and system of the sign-in, as "Firefox on Windows". Null where they are not known, and for
-- sessions of former releases.
ALTER TABLE sessions
  ADD COLUMN device_name text,
  ADD CONSTRAINT sessions_device_name CHECK (char_length(device_name) BETWEEN 1 AND 100) NOT VALID;
