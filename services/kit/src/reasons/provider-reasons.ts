/** Faults of providers: the aggregator and feeds (docs/banks/aggregator.md#faults, feed.md). */
export const providerReasons = {
  AGGREGATOR_SILENT: 'the aggregator did not answer',
  AGGREGATOR_STATUS: 'the aggregator answered with {detail}',
  AGGREGATOR_ANSWER_LARGE: 'the aggregator sent more data than a call reads (10 MiB)',
  AGGREGATOR_ANSWER: "the aggregator's answer to {detail} could not be read",
  AGGREGATOR_REFUSED: 'the aggregator refused the call: {detail}',
  AGGREGATOR_KEYS: "the aggregator refused the server's keys: {detail}",
  AGGREGATOR_LIMIT: 'the aggregator allows no more calls now',
  INSTITUTION_SILENT: 'the institution does not answer: {detail}',
  INSTITUTION_ASKS: 'the institution asks its user to act: {detail}',
  ACCESS_REVOKED: 'the access was revoked at the institution: {detail}',
  CONNECTION_UNKNOWN: 'the aggregator does not know the connection: {detail}',
  INSTITUTION_UNSUPPORTED: 'the aggregator does not support the institution: {detail}',
  TRANSACTIONS_MISSING: 'the institution has no transactions for the aggregator: {detail}',
  TRANSACTIONS_NOT_READY: 'the aggregator has not read the transactions yet',
  TRANSACTIONS_MOVED: 'transactions changed while they were read',
  POSITION_UNKNOWN: 'the aggregator does not know the position of the last sync',
  TRANSACTIONS_UNREADABLE:
    'transactions of the aggregator could not be read, so none is removed for its absence',
  SYNC_UNFINISHED: 'the server could not finish the sync',
  LINK_CONTINUES: 'the server tries again: look at your links before you repeat it: {fault}',
  LINK_GOES_ON: 'the server goes on with the link',
  FEED_LARGE: 'the feed provider sent {detail}',
  FEED_LIST_EMPTY:
    'the feed provider sent an empty list of transactions, although {detail} are known: nothing was removed',
  FEED_LIST_SHORT:
    'the feed provider sent a list of transactions that lacks {detail} known ones: nothing was imported or removed',
  FEED_LIST_OTHER:
    'the feed provider sent a list of transactions with none of the {detail} known ones: nothing was imported or removed',
  FEED_ACCOUNT_GONE: 'the feed provider does not list the bank account any more',
  FEED_DISCONNECTED: 'the feed provider is not connected to the bank: its status is {detail}',
  FEED_CURRENCY: 'the feed provider states the balance in another currency: {detail}',
  FEED_URL: 'the server does not allow the URL of the feed',
  FEED_URL_NAMED: 'the server does not allow the URL of the feed ({detail})',
  FEED_PRIVATE: "the feed provider's host name leads to a private address",
  INSTITUTION_ID: 'must be ins_ and 1 to 20 digits',
  PLAID_TOKEN_LONG: 'must provide a public token: publicToken is too long',
  PLAID_ACCOUNTS:
    'accountIds has at most {max} IDs of accounts at Plaid, each of 1 to 200 characters',
} as const
