import { changedRows, put, type TrackedRows, track } from '@coffer/kit/database/tracked-rows'
import { toMessage } from '@coffer/kit/rpc/message'
import { BalancesSchema } from '@coffer/proto/ledger/v1/bank_account'
import { EnvelopeSchema } from '@coffer/proto/ledger/v1/envelope'
import { type BankAccount, balancesOf } from '../book/bank-account.ts'
import type { Envelope } from '../book/envelope.ts'
import type { JournalEntry } from '../book/journal.ts'
import { refundableAfter } from './bookings.ts'
import type { Locked, Settlement } from './operation.ts'

/** The accumulated results of operations on one bank account, applied in order. */
export interface Settlements {
  bankAccount: BankAccount
  envelopes: TrackedRows<Envelope>
  entries: JournalEntry[]
}

/** Returns an accumulation without results; the first operation starts from the rows in `state`. */
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

/** Adds the result of an operation; the next operation starts from it. */
export function addSettlement(settlements: Settlements, settlement: Settlement): void {
  settlements.bankAccount = settlement.bankAccount
  put(settlements.envelopes, settlement.envelopes)
  settlements.entries.push(...settlement.entries)
}

/** Returns the combined result: the last state of each changed envelope, and all journal rows. */
export function totalOf({ bankAccount, envelopes, entries }: Settlements): Settlement {
  return { bankAccount, envelopes: changedRows(envelopes).changed, entries }
}

/** Returns the state after the operations so far, from which the next operation starts. */
export function stateAfter<State extends Locked>(
  state: State,
  { bankAccount, envelopes, entries }: Settlement,
): State {
  const changed = new Map(envelopes.map((one) => [one.spendingId, one]))
  const refundable = refundableAfter(state.refundable ?? new Map(), entries)
  const current = state.envelopes.map((one) => changed.get(one.spendingId) ?? one)
  return { ...state, bankAccount, envelopes: current, refundable }
}

/** Merges two results, of which the second started from the first. */
export function withLater(first: Settlement, second: Settlement): Settlement {
  const envelopes = first.envelopes.concat(second.envelopes)
  const last = new Map(envelopes.map((one) => [one.spendingId, one]))
  const entries = first.entries.concat(second.entries)
  return { ...second, envelopes: [...last.values()], entries }
}

/** Returns the reply to a change of money: the balances and the changed envelopes. */
export function renderResult({ bankAccount, envelopes }: Settlement) {
  return {
    balance: toMessage(BalancesSchema, balancesOf(bankAccount)),
    envelopes: envelopes.map((envelope) => toMessage(EnvelopeSchema, envelope)),
  }
}
