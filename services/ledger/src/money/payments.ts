import type { Envelope } from '../book/envelope.ts'
import type { JournalEntry } from '../book/journal.ts'
import type { Transaction } from '../book/transaction.ts'
import {
  endOperation,
  findEnvelope,
  type Locked,
  type Settlement,
  startOperation,
} from './operation.ts'
import { take } from './spend.ts'

/** A payment of an envelope, and the ID of its operation in the journal. */
export interface Payment {
  operationId: string
  spendingId: string
  of: Pick<Transaction, 'transactionId' | 'amount' | 'date'>
}

/**
 * Returns whether the envelopes can pay all, in any order: they are open, hold enough, and have
 * neither a grace nor given back more than they paid in their period.
 */
export function canPayInFull(
  envelopes: readonly Envelope[],
  payments: readonly Payment[],
): boolean {
  const byId = new Map(envelopes.map((one) => [one.spendingId, one]))
  return [...Map.groupBy(payments, (one) => one.spendingId)].every(([spendingId, own]) => {
    const envelope = byId.get(spendingId)
    const isOpen = envelope !== undefined && envelope.closedAt === null
    const isSimple = isOpen && envelope.graceUntil === null && envelope.periodSpent >= 0n
    return isSimple && envelope.currentAmount >= sumOf(own)
  })
}

function sumOf(payments: readonly Payment[]): bigint {
  return payments.reduce((sum, { of }) => sum + of.amount, 0n)
}

/**
 * Returns the settlement of payments for which `canPayInFull`, in their order, as if each were an
 * operation of its own: each envelope changes once, and the journal has the rows of each payment.
 */
export function settlePayments(locked: Locked, payments: readonly Payment[]): Settlement {
  const started = startOperation(locked)
  for (const [spendingId, own] of Map.groupBy(payments, (one) => one.spendingId)) {
    const envelope = findEnvelope(started, spendingId)
    if (!envelope) throw new Error(`the envelope ${spendingId} of payments is not open`)
    // A payment of 0 does not count as spending of its day.
    const days = own.map(({ of }) => (of.amount > 0n ? of.date.getTime() : 0))
    const day = new Date(days.reduce((newest, one) => Math.max(newest, one), 0))
    take(started, envelope, { amount: sumOf(own), day, cause: 'transaction', causeId: '' })
  }
  return { ...endOperation(started), entries: listEntries(locked, payments) }
}

/** Returns the journal rows of payments in full: one of each envelope, for a goal another one. */
function listEntries(
  { bankAccount, operation, envelopes }: Locked,
  payments: readonly Payment[],
): JournalEntry[] {
  const { accountId, bankAccountId } = bankAccount
  const { now: createdAt, createdBy = null } = operation
  const byId = new Map(envelopes.map((one) => [one.spendingId, one]))
  const held = new Map<string, { held: bigint; used: bigint }>()
  return payments.flatMap(({ operationId, spendingId, of }) => {
    const { amount: paid, transactionId: causeId } = of
    const envelope = byId.get(spendingId)
    if (!envelope || paid === 0n) return []
    const amounts = held.get(spendingId) ?? {
      held: envelope.currentAmount,
      used: envelope.usedAmount,
    }
    const [left, used] = [amounts.held - paid, amounts.used + paid]
    held.set(spendingId, { held: left, used })
    const entryOf = (pot: 'envelope' | 'used', delta: bigint, amount: bigint): JournalEntry => ({
      accountId,
      operationId,
      bankAccountId,
      spendingId,
      pot,
      delta,
      amount,
      cause: 'transaction',
      causeId,
      date: null,
      createdAt,
      createdBy,
    })
    const own = entryOf('envelope', -paid, left)
    return envelope.spendingType === 'goal' ? [own, entryOf('used', paid, used)] : own
  })
}
