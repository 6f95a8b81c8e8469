import { notFound } from '@coffer/kit/rpc/errors'
import { lesser, unspentOf } from '@coffer/kit/values/money'
import { requireWritable } from '../book/bank-account.ts'
import { type Envelope, graceAmountOf, newPeriod, noGrace } from '../book/envelope.ts'
import {
  endOperation,
  findEnvelope,
  type Locked,
  postHeld,
  postUsed,
  type Settlement,
  type StartedOperation,
  startOperation,
} from '../money/operation.ts'
import { take } from '../money/spend.ts'
import { type AutomaticTransaction, bookAutomatic, type ScheduledDecision } from './funding.ts'

/** Closes an envelope: its money becomes free to use, and its row is kept with `closedAt`. */
export function closeEnvelope(started: StartedOperation, envelope: Envelope): void {
  const reason = { cause: 'envelope-closed', causeId: envelope.spendingId } as const
  postHeld(started, envelope, { delta: -envelope.currentAmount, ...reason })
  postUsed(started, envelope, { delta: -envelope.usedAmount, ...reason })
  Object.assign(envelope, noGrace, newPeriod)
  envelope.closedAt = started.operation.now
}

/**
 * Returns the rows to save for a skipped due date: a row of the journal, which moves no money.
 * Throws notFound for an envelope that is closed or missing.
 */
export function notePeriodSkipped(
  locked: Locked,
  { spendingId: causeId, due: date }: { spendingId: string; due: Date },
): Settlement {
  requireWritable(locked.bankAccount)
  const started = startOperation(locked)
  const envelope = findEnvelope(started, causeId)
  if (envelope === null) throw notFound('spending')
  postHeld(started, envelope, { delta: 0n, cause: 'period-skipped', causeId, date })
  return endOperation(started)
}

/**
 * The end of an expense's period at the due date `due`, which the journal stores. `transaction` is
 * null unless the link is manual.
 */
export type PeriodEnd = {
  spendingId: string
  targetAmount: bigint
  carryOver: boolean
  due?: Date | undefined
  /** End of the grace, in which unspent money stays for the closed period; undefined for none. */
  graceUntil?: Date | undefined
  transaction: AutomaticTransaction | null
}

/**
 * Returns the rows to save at the end of a period: the envelope gives min(held, amount) to the
 * automatic transaction, then the unspent part of the target becomes free to use, at once or after
 * the grace. A grace that is still running ends first. If the envelope is closed, no amount changes
 * and no transaction is created.
 */
export function endPeriod(locked: Locked, end: PeriodEnd): ScheduledDecision {
  requireWritable(locked.bankAccount)
  const started = startOperation(locked)
  const envelope = findEnvelope(started, end.spendingId)
  if (envelope === null) return { settlement: endOperation(started), transaction: null }
  returnGraced(started, envelope, end)
  const transaction = end.transaction && bookAutomatic(started, locked, end.transaction)
  if (transaction) {
    const { amount, transactionId: causeId, date: day } = transaction
    const reason = { cause: 'transaction', causeId } as const
    transaction.spendingId = end.spendingId
    transaction.spendingAmount = take(started, envelope, { amount, day, ...reason })
    transaction.createdBySpendingId = end.spendingId
  }
  closePeriod(started, envelope, end)
  return { settlement: endOperation(started), transaction }
}

/** The end of the grace that runs until `graceUntil`, after the due date `due`. */
export type GraceEnd = Pick<PeriodEnd, 'spendingId' | 'carryOver' | 'due'> & { graceUntil: Date }

/** Returns the operation ID of the end of a grace, which the hourly job or a request books once. */
export function graceOperationId(end: Pick<GraceEnd, 'spendingId' | 'graceUntil'>): string {
  return `${end.spendingId}/grace/${end.graceUntil.toISOString()}`
}

/** Returns the rows to save at the end of a grace; none if an earlier booking has ended it. */
export function endGrace(locked: Locked, end: GraceEnd): ScheduledDecision {
  requireWritable(locked.bankAccount)
  const started = startOperation(locked)
  const envelope = findEnvelope(started, end.spendingId)
  if (envelope?.graceUntil?.getTime() === end.graceUntil.getTime()) {
    returnGraced(started, envelope, end)
  }
  return { settlement: endOperation(started), transaction: null }
}

/** Makes the money of a closed period free to use, or keeps it with `carryOver`; ends its grace. */
function returnGraced(
  started: StartedOperation,
  envelope: Envelope,
  { carryOver, due: date }: Pick<PeriodEnd, 'carryOver' | 'due'>,
): void {
  if (envelope.graceUntil === null) return
  const delta = carryOver ? 0n : -graceAmountOf(envelope)
  const causeId = envelope.spendingId
  postHeld(started, envelope, { delta, cause: 'period-closed', causeId, date })
  Object.assign(envelope, noGrace)
}

/**
 * Makes min(held, max(0, target − periodSpent)) free to use, or nothing with `carryOver` or a
 * grace, and begins to count the spending of a new period (docs/money.md#funding-and-periods).
 */
function closePeriod(
  started: StartedOperation,
  envelope: Envelope,
  period: Omit<PeriodEnd, 'transaction'>,
): void {
  const unspent = unspentOf(period.targetAmount, envelope.periodSpent)
  const held = lesser(envelope.currentAmount, unspent)
  const isGraced = period.graceUntil !== undefined && unspent > 0n
  const returned = period.carryOver || isGraced ? 0n : held
  const causeId = envelope.spendingId
  postHeld(started, envelope, {
    delta: -returned,
    cause: 'period-closed',
    causeId,
    date: period.due,
  })
  Object.assign(envelope, newPeriod, { periodFrom: period.due ?? null })
  if (!isGraced) return
  envelope.graceUntil = period.graceUntil ?? null
  envelope.graceUnspent = unspent
  envelope.graceMissing = unspent - held
}
