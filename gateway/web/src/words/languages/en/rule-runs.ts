export const ruleRuns = {
  title: 'On stored transactions',
  about:
    'New rules wait for what comes in. They can be applied to stored transactions too. Your own changes and transactions by hand stay as they are.',
  apply: 'Apply the rules',
  applyThis: 'Apply to stored ones too',
  applyTitle: 'Apply all rules to stored transactions?',
  applyText: 'Envelopes pay for their payments, also for past ones. It can be undone for 30 days.',
  bankAccount: 'Bank account',
  allAccounts: 'All accounts',
  from: 'From',
  to: 'To',
  start: 'Apply',
  list: 'What was applied, newest first',
  ofRules: '{count, plural, one {One rule} other {# rules}}',
  ofRule: 'Rule “{name}”',
  statuses: {
    running: 'Applying',
    complete: 'Applied',
    failed: 'Failed',
    undoing: 'Undoing',
    undone: 'Undone',
  },
  working: 'Comparing the transactions',
  counts:
    '{matched, plural, one {# fits} other {# fit}}, {changed, plural, other {#}} changed{left, plural, =0 {} other {, in # something was left}}',
  undoneCounts:
    '{undone, plural, other {#}} put back{kept, plural, =0 {} other {, in # something stays that was changed since}}',
  undo: 'Undo',
  undoTitle: 'Undo what the rules have set?',
  undoText:
    '{count, plural, one {One transaction gets} other {# transactions get}} the former values. A field that was changed since stays.',
} as const
