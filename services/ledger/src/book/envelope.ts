import { lesser } from '@coffer/kit/values/money'
import { values } from '@coffer/proto/values'
import { z } from 'zod'
import { atLeastZero, Money } from './money.ts'

export const SpendingType = z.enum(values['Spending.spendingType'])
export type SpendingType = z.infer<typeof SpendingType>

/**
 * Money set aside on a bank account for one expense or goal, in minor units. `currentAmount` is
 * held now; `usedAmount` is what a goal gave to transactions; `periodFrom` is the due date that
 * the period began on (null for the first one), `periodSpent` what was given to transactions dated
 * since then, minus money given back (negative if the period that gave it did not count it).
 * `periodRefunded` is the part of an expense's refunds that lowered no `periodSpent`, as this
 * period had not spent it (docs/money/refunds.md#periods), `periodSpentOn` the day of the newest
 * transaction that it paid in the period. `graceUntil` is set during a grace: the days after
 * a due date in which money of the closed period stays in the envelope. `graceUnspent` is then the
 * unspent part of that period's target (negative if a late bill was larger), and `graceMissing` the
 * part of it that the envelope did not hold when the period was closed (docs/money/grace.md).
 * `version` is the bank account's version after the last change of the envelope, or 1 if the
 * envelope has not changed since its creation.
 */
export const Envelope = z.object({
  accountId: z.string(),
  spendingId: z.string(),
  bankAccountId: z.string(),
  spendingType: SpendingType,
  currentAmount: Money.min(0n),
  usedAmount: Money.min(0n),
  periodFrom: z.date().nullable(),
  periodSpent: Money,
  periodRefunded: Money,
  periodSpentOn: z.date().nullable(),
  graceUntil: z.date().nullable(),
  graceUnspent: Money,
  graceMissing: Money,
  version: z.bigint(),
  openedAt: z.date(),
  closedAt: z.date().nullable(),
})
export type Envelope = z.infer<typeof Envelope>

/** Fields of an envelope without a grace. */
export const noGrace = { graceUntil: null, graceUnspent: 0n, graceMissing: 0n }

/** Fields of an envelope at the beginning of a period. */
export const newPeriod = { periodSpent: 0n, periodRefunded: 0n, periodSpentOn: null }

/** Returns whether a day is before the running period of an envelope. */
export function isBeforePeriod({ periodFrom }: Pick<Envelope, 'periodFrom'>, day: Date): boolean {
  return periodFrom !== null && day < periodFrom
}

/** Returns the held money that belongs to the closed period while its grace runs; otherwise 0. */
export function graceAmountOf(
  envelope: Pick<Envelope, 'currentAmount' | 'graceUnspent' | 'graceMissing'>,
): bigint {
  const { currentAmount, graceUnspent, graceMissing } = envelope
  return lesser(currentAmount, atLeastZero(graceUnspent - graceMissing))
}

/** Returns a new envelope that holds no money. */
export function createEnvelope(
  identity: Pick<Envelope, 'accountId' | 'spendingId' | 'bankAccountId' | 'spendingType'>,
  now: Date,
): Envelope {
  return {
    ...identity,
    currentAmount: 0n,
    usedAmount: 0n,
    periodFrom: null,
    ...newPeriod,
    ...noGrace,
    version: 1n,
    openedAt: now,
    closedAt: null,
  }
}

/**
 * Returns the progress to the target in minor units: held money, except money kept for a closed
 * period, plus the used money of a goal.
 */
export function progressOf(envelope: Envelope): bigint {
  if (envelope.spendingType === 'goal') return envelope.currentAmount + envelope.usedAmount
  return envelope.currentAmount - graceAmountOf(envelope)
}
