/** Prefixes of IDs, keyed by the names of the IDs in paths and bodies (docs/api.md#ids). */
export const idPrefixes: Record<string, string> = {
  apiKeyId: 'key',
  bankAccountId: 'bac',
  bulkOperationId: 'op',
  deliveryId: 'dlv',
  feedBankAccountId: 'lbac',
  feedLinkId: 'lfx',
  fileId: 'file',
  fundingScheduleId: 'fund',
  linkId: 'link',
  ruleId: 'rule',
  ruleRunId: 'rrun',
  ruleSuggestionId: 'rsug',
  sessionId: 'sess',
  spendingId: 'spnd',
  transactionId: 'txn',
  transactionImportId: 'txim',
  transactionImportMappingId: 'txix',
  transactionUploadId: 'txup',
  uploadGroupId: 'upgr',
  userId: 'user',
  webhookId: 'hook',
}

/**
 * Patterns of IDs of other systems, by their names in paths: checkout sessions of Stripe, and
 * institutions of the aggregator.
 */
export const externalIds: Record<string, { prefix: string; form: RegExp }> = {
  checkoutSessionId: { prefix: 'cs', form: /^cs_\w{1,250}$/ },
  institutionId: { prefix: 'ins', form: /^ins_\d{1,20}$/ },
}
