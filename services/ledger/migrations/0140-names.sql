-- Constraints named with a number because another had the name when they were made.
ALTER DOMAIN journal_pot RENAME CONSTRAINT journal_pot_check1 TO journal_pot_check;
ALTER DOMAIN journal_cause RENAME CONSTRAINT journal_cause_check1 TO journal_cause_check;
