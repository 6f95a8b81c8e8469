/** Descriptions of keys under which an answer combines several messages. */
export const partTexts: Record<string, string> = {
  aggregatorLink: 'Connection over the aggregator; only of a link of type aggregator',
  bankAccounts: 'Live bank accounts with their balances, in the order of their IDs',
  behind: 'Expenses and goals that are behind and not paused, the first due date first',
  balance: 'Balances of the bank account after the change',
  balances: 'Balances of each bank account after the change, ordered by its ID',
  changes: 'Changes after the cursor, in the order of the feed',
  codedHints: 'Code and values of each of the hints, in their order',
  deliveries: 'Deliveries of the webhook, newest first',
  entries: 'Entries of the journal, newest first',
  error: 'Refusal of the item, for people; instead of a transaction',
  feedBankAccount: 'Candidate of the feed connection from which the bank account was created',
  feedLink: 'Feed connection of the link; only of a link of type feed',
  fundingSchedule: 'The schedule after the change',
  hints: 'Texts for people about effects of the request that may surprise; left out without one',
  isActive: 'Whether the account is paid up; always true without billing',
  isSetup: 'Whether the account has a link that is not deleted',
  links: 'Live links with the state of their connections, in the order of their IDs',
  nextCursor: 'Cursor of the next page, for the parameter after; null on the last page',
  nextFunding:
    'What the next firing moves into envelopes; missing where the calculation would be too large',
  operationId: 'ID by which the change is undone for 7 days; left out if nothing changed',
  paydays: 'Funding schedules that fire again, the next firing first',
  pending: 'The pending transaction; soft-deleted unless the bank still lists it',
  problems: 'Faults of the item by key, as for a single request',
  results: 'One result for each item of the request, in the same order',
  spending:
    'Expenses and goals that changed, with new amounts and contributions; left out or empty if ' +
    'none did, or while the calculation is pending (header Coffer-Recalculation)',
  transaction: 'The transaction after the change',
  transactionId: 'ID of the transaction of the result',
  user: 'The new user, with its login and account',
}
