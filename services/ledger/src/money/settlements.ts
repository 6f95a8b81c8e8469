import { changedRows, put, type TrackedRows, track } from '@coffer/kit/database/tracked-rows'
import type { BankAccount } from '../accounts/bank-account.ts'
import type { Envelope } from '../envelopes/envelope.ts'
import type { Settlement } from './book.ts'
import type { JournalEntry } from './journal.ts'

/** Settlements of one bank account in order, each decided on the result of the one before. */
export interface Settlements {
  bankAccount: BankAccount
  envelopes: TrackedRows<Envelope>
  entries: JournalEntry[]
}

/** Starts from the rows as they were read. */
export function startSettlements(state: {
  bankAccount: BankAccount
  envelopes: readonly Envelope[]
}): Settlements {
  return {
    bankAccount: state.bankAccount,
    envelopes: track(state.envelopes, ({ spendingId }) => spendingId),
    entries: [],
  }
}

/** Adds one: the next is decided on the rows that it leaves. */
export function addSettlement(settlements: Settlements, settlement: Settlement): void {
  settlements.bankAccount = settlement.bankAccount
  put(settlements.envelopes, settlement.envelopes)
  settlements.entries.push(...settlement.entries)
}

/** All of them as one: each changed envelope once, in its last state, and every journal row. */
export function totalOf({ bankAccount, envelopes, entries }: Settlements): Settlement {
  return { bankAccount, envelopes: changedRows(envelopes).changed, entries }
}
