/**
 * Upper bounds on the statements of each operation, for all tests. A higher bound needs a reason; a
 * cheaper operation lowers it here.
 */
export const statementsMax = {
  verifySession: 1,
  verifyApiKey: 1,
  // BEGIN, INSERT of the link, lock of the bound, count of the links, COMMIT.
  createLink: 5,
  getBalances: 1,
  listTransactions: 1,
  createTransaction: 2,
  updateTransaction: 2,
  // The first write runs at once and alone; the others share a read and a save.
  createTransactionsOfTenAccounts: 6,
  // In a small account: one page of the scan, and the check that it was the last.
  searchTransactions: 2,
  getHistory: 1,
  undoFileOfTenThousandRows: 16,
  listPlans: 1,
  // Two reads and two saves, and the statements of the events that they emit.
  createPlan: 6,
  // Statements of budgeting and ledger.
  createSpending: 15,
  updatePlan: 2,
  recalculatePlan: 1,
  // One by one, the plans would take ten statements.
  recalculateFivePlans: 6,
  // The plans already have these amounts, so nothing is saved.
  recallThreePlans: 2,
  // Two look-ups, no pending runs; the booking reads rows, envelopes and operations, and saves.
  advancePage: 11,
}
