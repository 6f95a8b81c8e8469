import type { ProviderRow } from './model-operation.ts'
import type { ProviderRecord, Row } from './model-state.ts'
import { liveOf } from './model-sync.ts'

/** Returns a posted transaction of a provider. */
export function posted(id: string, amount: number): ProviderRow {
  return { id, amount, isPending: false, pendingOf: null, text: 'shop' }
}

/** Returns the same as pending. */
export function held(id: string, amount: number): ProviderRow {
  return { ...posted(id, amount), isPending: true }
}

/** Returns a list of the transaction's live record if it is pending, else an empty list. */
export function heldOf(row: Row): ProviderRow[] {
  return liveRows(row).filter(({ isPending }) => isPending)
}

/** Returns a list of the live record of a transaction that an envelope pays, else none. */
export function paidOf(row: Row): ProviderRow[] {
  return isPaid(row) ? liveRows(row) : []
}

/** Returns a list of the live record, empty without one. */
export function liveRows(row: Row): ProviderRow[] {
  const live = liveOf(row)
  return live ? [rowOf(live)] : []
}

/** Returns whether the transaction is not deleted and took money from an envelope. */
export function isPaid({ taken, isDeleted }: Row): boolean {
  return taken > 0 && !isDeleted
}

/** Returns whether the transaction is not deleted and gave money back to an envelope. */
export function isRefunded({ refunded, isDeleted }: Row): boolean {
  return refunded > 0 && !isDeleted
}

/**
 * Returns the IDs of pending transactions that the provider's posted ones replace, and that no sync
 * has imported.
 */
export function missingOf({ records }: Row): string[] {
  const named = records.flatMap(({ pendingOf }) => pendingOf ?? [])
  return named.filter((id) => !records.some((one) => one.id === id))
}

/** Returns all records of a transaction. */
export function recordsOf({ records }: Row): ProviderRow[] {
  return records.map(rowOf)
}

function rowOf({ end, ...providerRow }: ProviderRecord): ProviderRow {
  return providerRow
}

/**
 * Returns a text that is unique for `serial`, in letters: the ledger ignores digits when it
 * compares the texts of provider transactions.
 */
export function textOf(serial: number): string {
  const letters = [...`${serial}`.padStart(4, '0')].map((digit) => 'abcdefghij'[Number(digit)])
  return `hold ${letters.join('')}`
}
