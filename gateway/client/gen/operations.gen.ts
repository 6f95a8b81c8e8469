// @ts-nocheck
/** IDs of the operations that accept an Idempotency-Key. */
export const keyed: ReadonlySet<string> = new Set([
  'createLink',
  'createBankAccount',
  'createFundingSchedule',
  'createSpending',
  'transferBetweenEnvelopes',
  'createTransaction',
  'restoreTransaction',
  'createTransactions',
  'createUpload',
  'createImport',
  'createFeedLink',
  'createAggregatorLink',
])

/** Paths of the sockets by operation ID. */
export const sockets = {
  watchUpload: '/api/bank_accounts/{bankAccountId}/transactions/upload/{transactionUploadId}/progress',
  watchFeedSync: '/api/feed/link/sync/{linkId}/bank_account/{bankAccountId}/progress',
} as const
