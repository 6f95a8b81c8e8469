/**
 * Maximum number of SQL statements of each operation, which tests enforce. Raise a bound only with
 * a reason; lower it when an operation gets cheaper.
 */
export const statementsMax = {
  verifySession: 1,
  verifyApiKey: 1,
  // BEGIN, INSERT of the link, advisory lock, count of the links, COMMIT.
  createLink: 5,
  getBalances: 1,
  listTransactions: 1,
  createTransaction: 2,
  updateTransaction: 2,
  // The first write runs alone at once; the other nine share one read and one save.
  createTransactionsOfTenAccounts: 6,
  // One page of the scan, and a check that no further page exists.
  searchTransactions: 2,
  getHistory: 1,
  undoFileOfTenThousandRows: 16,
  listPlans: 1,
  // Those of plans that are behind, and of paydays.
  getPlanOverview: 2,
  listOverviews: 1,
  // Two reads, two saves, and the statements that store the emitted events.
  createPlan: 6,
  // The statements of budgeting and ledger together.
  createSpending: 15,
  updatePlan: 2,
  recalculatePlan: 1,
  // Batched; writing the plans one by one takes ten statements.
  recalculateFivePlans: 6,
  // The recalculated amounts equal the stored ones, so nothing is saved.
  recallThreePlans: 2,
  // Two look-ups and a search for pending runs; the booking reads rows, envelopes and operations,
  // and saves them.
  advancePage: 11,
}
