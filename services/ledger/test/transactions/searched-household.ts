import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { Booted } from '@coffer/host/testing/boot'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { newId } from '@coffer/kit/values/id'
import type { ListTransactionsRequest } from '@coffer/proto/ledger/v1/transaction'
import { expect } from '@jest/globals'
import {
  rangeOf,
  type TransactionCursor,
  type TransactionSearch,
} from '../../src/transactions/transaction-search.ts'

export type Filter = Partial<Omit<ListTransactionsRequest, '$typeName'>>

/** Lists the transactions of a household by a filter, 25 a page. */
export function list({ transactions, bankAccountId, as }: Household, filter: Filter = {}) {
  return transactions.listTransactions({ bankAccountId, limit: 25, ...filter }, as)
}

/** Returns the names of the only page of a list. */
export async function namesOf(home: Household, filter: Filter): Promise<string[]> {
  const { transactions, next } = await list(home, filter)
  expect(next).toBeUndefined()
  return transactions.map(({ name = '' }) => name)
}

/** Creates five transactions on three days: one has an envelope, one is pending, one is deleted. */
export async function withTransactions(booted: Booted) {
  const home = await createHousehold(booted, { availableBalance: 10_000n })
  const { as, bankAccountId, envelopes, transactions } = home
  const spendingId = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'expense' }, as)
  const at = (day: number) => timestampFromDate(new Date(Date.UTC(2026, 2, day, 12)))
  const bill = { amount: 5n }
  const { results } = await transactions.createTransactions(
    {
      bankAccountId,
      transactions: [
        { ...bill, date: at(1), name: 'Café Central', spendingId },
        { amount: -7n, date: at(2), name: 'Tram', merchantName: 'City of CAFÉS' },
        { ...bill, date: at(2), name: '100% Juice', isPending: true },
        { ...bill, date: at(3), name: 'Fuel', spendingId, isPending: true },
        { ...bill, date: at(3), name: 'Café gone' },
      ],
    },
    as,
  )
  const gone = results[4]?.result.value as { transactionId: string }
  const key = { bankAccountId, transactionId: gone.transactionId }
  await transactions.deleteTransaction({ ...key, soft: true }, as)
  return { ...home, spendingId }
}

/** Returns the filter of the next page; an empty one on the last. */
export function nextOf({ next }: Awaited<ReturnType<typeof list>>): Filter {
  return next ? { after: next } : {}
}

/** Returns a search for a text, of four matches a page; without a bank account of all of them. */
export function searchFor(
  bankAccountId: string | null,
  text: string,
  after: TransactionCursor | null,
): TransactionSearch {
  return {
    bankAccountId,
    spendingId: null,
    isDeleted: false,
    isFree: false,
    isUndecided: false,
    isPending: null,
    text,
    amount: null,
    amountFrom: null,
    amountTo: null,
    source: null,
    tag: null,
    limit: 4,
    ...rangeOf({ from: null, to: null, after }, 'UTC'),
  }
}
