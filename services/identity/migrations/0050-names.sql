-- Constraints that still have the name of their table before it was renamed.
ALTER TABLE link_tokens RENAME CONSTRAINT password_resets_pkey TO link_tokens_pkey;
ALTER TABLE link_tokens
  RENAME CONSTRAINT password_resets_login_id_fkey TO link_tokens_login_id_fkey;
