import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from '../transactions/transaction.ts'

/** What is read of a transaction to find those like it. */
export type ClusterRow = {
  transactionId: string
  originalName: string
  originalMerchantName: string
}

type Texts = Pick<Transaction, 'originalName' | 'originalMerchantName' | 'date' | 'deletedAt'>

/** Whether a search finds the same in both versions of a transaction. */
export function hasSameText(one: Texts, other: Texts): boolean {
  return isDeepStrictEqual(textsOf(one), textsOf(other))
}

/** All that a search reads of a transaction; the date decides its place (spec/ledger.md 5.2). */
function textsOf({ originalName, originalMerchantName, date, deletedAt }: Texts): Texts {
  return { originalName, originalMerchantName, date, deletedAt }
}

/**
 * The live transactions of a bank account, newest first, as it goes to a worker thread: each text
 * once, and for each transaction the number of its text.
 */
export type ClusterInput = { transactionIds: string[]; textOf: number[]; texts: string[] }

/** Collects pages of transactions; one that turns up again on a later page is left out. */
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
        // No word reaches over a line break, and places go on counting there (ledger.md 5.3).
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
