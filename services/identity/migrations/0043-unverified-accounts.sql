-- Until when the address of a registration is to be verified; null once it is, once its account was
-- signed in to, and where no verification was asked for. The sweep removes accounts by it.

ALTER TABLE logins ADD COLUMN verify_by timestamptz;
CREATE INDEX logins_to_verify ON logins (verify_by) WHERE verify_by IS NOT NULL;
