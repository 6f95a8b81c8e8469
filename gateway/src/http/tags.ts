/**
 * Groups of operations with their descriptions, in the order of the OpenAPI document: money first,
 * as most clients work with it by an API key.
 */
export const tags = {
  Links: 'Links to banks: manual ones, over a feed or over the aggregator; health of their syncs',
  'Bank accounts': 'Bank accounts of a link, their balances and the journal of their money',
  Transactions: 'Transactions of a bank account: list, create, change, delete, similar ones',
  Spending: 'Spending objects: an expense or a goal with its plan and the money in its envelope',
  'Funding schedules': 'Schedules, such as paydays, on which expenses and goals are funded',
  Forecasts: 'Future contributions and balances, also of objects that are not stored',
  Files: 'Uploaded files with transactions: imports, their undo, and mappings of CSV files',
  Changes: 'The change feed of the account: which objects have changed, in one order',
  Feed: 'Connections to a feed of bank data: candidates for bank accounts, and syncs',
  Aggregator: 'Links over the aggregator (Plaid): tokens, set-up, updates, syncs, institutions',
  'Sign-in': 'Registration, sign-in, sign-out, mailed links and proof of work',
  Account: 'The caller and the account: its users, its export and its deletion',
  Security: 'Password, authenticator, recovery codes, sessions and API keys',
  Billing: 'The subscription of the account, paid over Stripe',
  Server: 'Health, features, currencies and icons of the server, and this document',
  Webhooks: 'Messages that Stripe and Plaid send to this server; no client calls these operations',
} as const

export type Tag = keyof typeof tags
