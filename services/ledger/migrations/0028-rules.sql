-- Rules of an account for imported transactions, in the order of `place`. `conditions` and `actions`
-- are RuleConditions and RuleActions of the contract, as JSON. The version before does not know them.
CREATE TABLE rules (
  account_id text NOT NULL,
  rule_id text NOT NULL,
  place integer NOT NULL,
  name text NOT NULL,
  conditions jsonb NOT NULL,
  actions jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  created_by text,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, rule_id)
);

-- The fields of a transaction that a rule or its user has set (FieldMarks). The version before
-- leaves them: a field that has another value than its mark is its user's.
ALTER TABLE transactions ADD COLUMN field_marks jsonb;
