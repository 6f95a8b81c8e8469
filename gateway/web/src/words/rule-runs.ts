/** Texts of runs, which apply rules to stored transactions. */
export const runWords = {
  title: 'On stored transactions',
  about:
    'New rules wait for what comes in. They can be applied to stored transactions too. Your own ' +
    'changes and transactions by hand stay as they are.',
  apply: 'Apply the rules',
  applyThis: 'Apply to stored ones too',
  applyTitle: 'Apply all rules to stored transactions?',
  applyText: 'Envelopes pay for their payments, also for past ones. It can be undone for 30 days.',
  bankAccount: 'Bank account',
  allAccounts: 'All accounts',
  from: 'From',
  to: 'To',
  start: 'Apply',
  cancel: 'Cancel',
  started: 'The rules are being applied.',
  list: 'What was applied, newest first',
  ofRules: (count: number) => (count === 1 ? 'One rule' : `${count} rules`),
  ofRule: (name: string) => `Rule “${name}”`,
  statuses: {
    running: 'Applying',
    complete: 'Applied',
    failed: 'Failed',
    undoing: 'Undoing',
    undone: 'Undone',
  },
  working: 'Comparing the transactions',
  counts: (matched: number, changed: number, left: number) =>
    `${matched} fit, ${changed} changed${left > 0 ? `, in ${left} something was left` : ''}`,
  undoneCounts: (undone: number, kept: number) =>
    `${undone} put back${kept > 0 ? `, in ${kept} something stays that was changed since` : ''}`,
  undo: 'Undo',
  undoTitle: 'Undo what the rules have set?',
  undoText: (count: number) =>
    `${count === 1 ? 'One transaction gets' : `${count} transactions get`} the former values. ` +
    'A field that was changed since stays.',
}
