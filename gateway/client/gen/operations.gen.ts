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

/** Largest page of each list by operation ID. */
export const pageSizes: Record<string, number> = {
  listSessions: 100,
  listApiKeys: 100,
  listLinks: 100,
  listBankAccounts: 100,
  listFundingSchedules: 100,
  listSpending: 100,
  listSpendingTransactions: 100,
  listTransactions: 100,
  listHistory: 100,
  listSpendingHistory: 100,
  listUploads: 100,
  listFiles: 100,
  listImports: 100,
  listMappings: 10,
  listFeedLinks: 100,
  listFeedBankAccounts: 100,
}
