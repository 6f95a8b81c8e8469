import type { BankAccount } from '../bank-account.ts'
import type { Settlement } from '../book.ts'
import type { Envelope } from '../envelope.ts'
import type { JournalEntry } from '../journal.ts'

/** Settlements of one bank account in order, each decided on the result of the one before. */
export interface Settlements {
  bankAccount: BankAccount
  envelopes: Map<string, Envelope>
  changed: Set<string>
  entries: JournalEntry[]
}

/** Starts from the rows as they were read. */
export function startSettlements(state: {
  bankAccount: BankAccount
  envelopes: readonly Envelope[]
}): Settlements {
  return {
    bankAccount: state.bankAccount,
    envelopes: new Map(state.envelopes.map((one) => [one.spendingId, one])),
    changed: new Set(),
    entries: [],
  }
}

/** Adds one: the next is decided on the rows that it leaves. */
export function addSettlement(settlements: Settlements, settlement: Settlement): void {
  settlements.bankAccount = settlement.bankAccount
  for (const envelope of settlement.envelopes) {
    settlements.envelopes.set(envelope.spendingId, envelope)
    settlements.changed.add(envelope.spendingId)
  }
  settlements.entries.push(...settlement.entries)
}

/** All of them as one: each changed envelope once, in its last state, and every journal row. */
export function totalOf({ bankAccount, envelopes, changed, entries }: Settlements): Settlement {
  const rows = [...changed].flatMap((spendingId) => envelopes.get(spendingId) ?? [])
  return { bankAccount, envelopes: rows, entries }
}
