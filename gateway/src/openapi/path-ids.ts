/** Descriptions of the IDs in paths, by the name of the parameter (docs/api.md#ids). */
export const pathIds: Record<string, string> = {
  apiKeyId: 'API key of the account: key_ and 26 characters. It is also its user name',
  bankAccountId: 'Bank account: bac_ and 26 characters. Those of deleted links are 404',
  bulkOperationId: 'Change of many transactions, from its answer: op_ and 26 characters',
  checkoutSessionId: 'Checkout session, as Stripe names it in its redirect: cs_ and more',
  feedLinkId: 'Feed connection: lfx_ and 26 characters. Deleted ones are found too',
  fundingScheduleId: 'Funding schedule of the bank account in the path: fund_ and 26 characters',
  institutionId: 'Institution, as the aggregator names it: ins_ and 1 to 20 digits',
  linkId: 'Link: link_ and 26 characters',
  ruleId: 'Rule of the account: rule_ and 26 characters',
  sessionId: 'Session of the caller, from the list of sessions: sess_ and 26 characters',
  spendingId: 'Expense or goal of the bank account in the path: spnd_ and 26 characters',
  transactionId: 'Transaction of the bank account in the path: txn_ and 26 characters',
  transactionImportId: 'Import into the bank account in the path: txim_ and 26 characters',
  transactionImportMappingId: 'Mapping of the account: txix_ and 26 characters',
  transactionUploadId: 'Upload to the bank account in the path: txup_ and 26 characters',
  userId: 'User of the account of the caller: user_ and 26 characters',
}
