ALTER TABLE mails VALIDATE CONSTRAINT mails_kind_check;
