/** Causes of entries of the journal, for people. */
export const historyWords = {
  causes: {
    opening: 'Begin',
    transaction: 'Payment',
    deletion: 'Deleted payment',
    kept: 'Deleted payment, amount kept',
    transfer: 'Moved by hand',
    funding: 'Payday',
    'period-closed': 'Due: a new period begins',
    'period-skipped': 'Due date left out',
    'envelope-closed': 'Envelope closed',
    refund: 'Refund',
    sync: 'Sync of the bank',
    upload: 'Imported file',
    undo: 'Import undone',
    'manual-edit': 'Changed by hand',
    restated: 'Restated',
  } as Record<string, string>,
  /** The rows of a file that rules have sorted into an envelope. */
  ofFile: (cause: string, file: string) =>
    cause === 'refund' ? `Refunds in ${file}` : `Payments in ${file}`,
  pots: {
    available: 'Available',
    current: 'Posted balance',
    limit: 'Credit limit',
    envelope: 'Envelope',
    used: 'Spent from the goal',
  } as Record<string, string>,
  list: 'History, newest first',
}
