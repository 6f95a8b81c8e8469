ALTER TABLE link_tokens VALIDATE CONSTRAINT link_tokens_scope_check;
ALTER TABLE mails VALIDATE CONSTRAINT mails_kind_check;
