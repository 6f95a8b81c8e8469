import { paginate } from '@coffer/client'
import type { FundingSchedule, Spending, Transaction } from '@coffer/client/types'
import { queryOptions } from '@tanstack/react-query'
import { language } from '../words/languages/texts.ts'
import { overviewQuery } from './account-queries.ts'
import { coffer } from './client.ts'

export type { FundingSchedule, Spending, Transaction }

/**
 * Envelopes of a bank account, with their plans. `carryOver`: whether an expense keeps unspent
 * money; null is replaced by the default of the server.
 */
export function spendingQuery(bankAccountId: string) {
  return queryOptions({
    queryKey: ['spending', bankAccountId],
    queryFn: async ({ client }) => {
      const [all, { expenseCarryOver = false }] = await Promise.all([
        Array.fromAsync(paginate(coffer.listSpending, { path: { bankAccountId } })),
        client.ensureQueryData(overviewQuery),
      ])
      return all.map((one) => {
        const { spendingType, carryOver } = one
        return spendingType === 'goal' ? one : { ...one, carryOver: carryOver ?? expenseCarryOver }
      })
    },
  })
}

export function schedulesQuery(bankAccountId: string) {
  return queryOptions({
    queryKey: ['schedules', bankAccountId],
    queryFn: () =>
      Array.fromAsync(paginate(coffer.listFundingSchedules, { path: { bankAccountId } })),
  })
}

/** Sentences that explain the next contribution of an envelope. */
export function explanationQuery(bankAccountId: string, spendingId: string) {
  const path = { bankAccountId, spendingId }
  const query = { language }
  return queryOptions({
    queryKey: ['explanation', bankAccountId, spendingId],
    queryFn: async ({ signal }) => (await coffer.explainSpending({ path, query, signal })).data,
  })
}

/**
 * Filter for payments that wait for the choice of an envelope. Deposits (negative) need no
 * envelope.
 */
const waiting = { spendingId: 'undecided', amount_from: 1 } as const

/** The newest payments for which the user still has to choose an envelope. */
export function unassignedQuery(bankAccountId: string, limit: number) {
  const query = { limit, ...waiting }
  return queryOptions({
    queryKey: ['transactions', bankAccountId, 'unassigned'],
    queryFn: async ({ signal }) =>
      (await coffer.listTransactions({ path: { bankAccountId }, query, signal })).data,
  })
}

/** The newest deposit of at least `least` minor units since the day `from`; null without one. */
export function incomeQuery(
  bankAccountId: string,
  { from, least }: { from: string; least: number },
) {
  const query = { limit: 1, from, amount_to: -least } as const
  return queryOptions({
    queryKey: ['transactions', bankAccountId, 'income', from, least],
    queryFn: async ({ signal }) =>
      (await coffer.listTransactions({ path: { bankAccountId }, query, signal })).data,
  })
}

/** Maximum number of transactions of `importedQuery`: one page. */
export const importedMax = 100

/** The newest transactions since the day `from` that came from files. */
export function importedQuery(bankAccountId: string, from: string) {
  const query = { limit: importedMax, from, source: 'upload' } as const
  return queryOptions({
    queryKey: ['transactions', bankAccountId, 'imported', from],
    queryFn: async ({ signal }) =>
      (await coffer.listTransactions({ path: { bankAccountId }, query, signal })).data,
  })
}

/**
 * The newest payment of an amount, in minor units, since the day `from`; empty without one.
 */
export function paymentQuery(
  bankAccountId: string,
  { from, amount }: { from: string; amount: number },
) {
  const query = { limit: 1, from, amount_from: amount, amount_to: amount } as const
  return queryOptions({
    queryKey: ['transactions', bankAccountId, 'payment', from, amount],
    queryFn: async ({ signal }) =>
      (await coffer.listTransactions({ path: { bankAccountId }, query, signal })).data,
  })
}

/** Returns the newest payments, up to the day `to`, that wait for the choice of an envelope. */
export async function listWaiting(
  bankAccountId: string,
  { to, max }: { to: string; max: number },
): Promise<Transaction[]> {
  const found: Transaction[] = []
  const query = { limit: 100, to, ...waiting }
  for await (const one of paginate(coffer.listTransactions, { path: { bankAccountId }, query })) {
    if (found.push(one) === max) break
  }
  return found
}
