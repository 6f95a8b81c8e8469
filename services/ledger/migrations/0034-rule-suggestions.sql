-- Answers to suggested rules, by the ID that follows from what is suggested: the rule that was
-- created, or null if the suggestion was dismissed. The version before does not know the table.
CREATE TABLE rule_suggestion_answers (
  account_id text NOT NULL,
  rule_suggestion_id text NOT NULL,
  rule_id text,
  answered_at timestamptz NOT NULL,
  answered_by text,
  PRIMARY KEY (account_id, rule_suggestion_id)
);
