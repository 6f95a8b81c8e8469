/**
 * The most statements that each of these may take, the only place where tests say so: what costs
 * more has a reason, and what costs less lowers the number here.
 */
export const statementsMax = {
  verifySession: 1,
  verifyApiKey: 1,
  // BEGIN, the link, its lock and count, COMMIT.
  createLink: 5,
  getBalances: 1,
  listTransactions: 1,
  createTransaction: 2,
  updateTransaction: 2,
  // The first write runs at once and alone, the others share a read and a save.
  createTransactionsOfTenAccounts: 6,
  // In a small account: one walk, and the question whether it came to the end.
  searchTransactions: 2,
  getHistory: 1,
  undoFileOfTenThousandRows: 16,
  listPlans: 1,
  // Two reads and two saves, and what events set off meanwhile.
  createPlan: 6,
  // Budgeting and ledger together.
  createSpending: 15,
  updatePlan: 2,
  recalculatePlan: 1,
  // One by one it would be ten.
  recalculateFivePlans: 6,
  // Plans that have seen the amounts: nothing is saved.
  recallThreePlans: 2,
  // Look-up: two. What is pending: none. Booking: rows, envelopes, operations, save.
  advancePage: 11,
}
