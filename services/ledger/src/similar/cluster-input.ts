import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from '../transactions/transaction.ts'

/** The fields of a transaction that a search reads. */
export type ClusterRow = {
  transactionId: string
  originalName: string
  originalMerchantName: string
}

type Texts = Pick<Transaction, 'originalName' | 'originalMerchantName' | 'date' | 'deletedAt'>

/** Returns whether a search gives the same result for both versions of a transaction. */
export function hasSameText(one: Texts, other: Texts): boolean {
  return isDeepStrictEqual(selectTexts(one), selectTexts(other))
}

/**
 * Returns the fields that affect a search; the date determines the order
 * (docs/similar-transactions.md#input).
 */
function selectTexts({ originalName, originalMerchantName, date, deletedAt }: Texts): Texts {
  return { originalName, originalMerchantName, date, deletedAt }
}

/**
 * Input of the worker thread: live transactions, newest first. Each text is sent once, and each
 * transaction has the number of its text.
 */
export type ClusterInput = { transactionIds: string[]; textOf: number[]; texts: string[] }

/** Collects pages of transactions. A transaction that repeats on a later page is skipped. */
export function collectTexts(): {
  add: (rows: readonly ClusterRow[]) => void
  input: ClusterInput
} {
  const input: ClusterInput = { transactionIds: [], textOf: [], texts: [] }
  const numbers = new Map<string, number>()
  const seen = new Set<string>()
  return {
    input,
    add: (rows) => {
      for (const { transactionId, originalName, originalMerchantName } of rows) {
        if (seen.has(transactionId)) continue
        seen.add(transactionId)
        // A word ends at the line break, but positions continue after it
        // (docs/similar-transactions.md#words).
        const text = `${originalName}\n${originalMerchantName}`
        const number = numbers.get(text) ?? numbers.size
        if (number === numbers.size) {
          numbers.set(text, number)
          input.texts.push(text)
        }
        input.transactionIds.push(transactionId)
        input.textOf.push(number)
      }
    },
  }
}
