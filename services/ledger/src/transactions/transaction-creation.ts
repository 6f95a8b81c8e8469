import { say } from '@coffer/kit/reasons/reasons'
import { invalid } from '@coffer/kit/rpc/errors'
import { z } from 'zod'
import { requireManual } from '../book/bank-account.ts'
import type { FieldMarks } from '../book/field-marks.ts'
import { inRange } from '../book/money.ts'
import { changeTags, type TagChange } from '../book/tags.ts'
import {
  type Assignment,
  emptyTransaction,
  type NamedEnvelope,
  namedEnvelope,
  StatedFields,
  type Transaction,
  unassigned,
} from '../book/transaction.ts'
import {
  deltasOf,
  endOperation,
  findEnvelope,
  type Locked,
  moveBalances,
  type Settlement,
  type StartedOperation,
  startOperation,
} from '../money/operation.ts'
import { assignTo } from '../money/spend.ts'

/** The rows to save for a new or changed transaction; `settlement` has the changed envelopes. */
export type TransactionDecision = { settlement: Settlement; transaction: Transaction }

/** The fields of a PATCH of a transaction; `date` is midnight in the account's timezone. */
export type TransactionPatch = {
  [Field in keyof StatedFields]?: StatedFields[Field] | null | undefined
} & { refundSpendingId?: string | null | undefined } & TagChange

const statedFields = Object.entries(StatedFields.shape).map(([name, type]) => {
  return { name, isNullable: type instanceof z.ZodNullable }
})

/** Body of a request to create a transaction; `date` is midnight in the account's timezone. */
export type NewTransaction = TransactionPatch &
  Pick<StatedFields, 'amount' | 'date' | 'name'> & {
    transactionId: string
    adjustsBalance: boolean
    /** Whether rules set the fields that the request leaves out. */
    appliesRules?: boolean
    /** Whether the request states an empty list of tags. */
    hasNoTags?: boolean
    /** Marks of the fields that rules have set. */
    fieldMarks?: FieldMarks | null
  }

/** Fills fields of those bodies that ask for it with the values of rules (docs/rules/rules.md). */
export type FillByRules = <Body extends NewTransaction>(
  of: { accountId: string; bankAccountId: string; timezone: string },
  bodies: readonly Body[],
) => Promise<Body[]>

/**
 * Returns the rows to save for a transaction on a manual link (docs/transactions.md#create). Its
 * envelope gives min(held, amount), or gets the refund if it is a deposit.
 */
export function createTransaction(locked: Locked, body: NewTransaction): TransactionDecision {
  requireManual(locked.bankAccount)
  const stated = { ...manualTransaction(locked, body), ...storedFields(body) }
  requireAmount(stated.amount)
  const named = nameEnvelope(body, namedEnvelope(unassigned))
  requireSpending(stated, named)
  const started = startOperation(locked)
  const assigned = { ...stated, ...assign(started, stated, named) }
  const transaction = { ...assigned, fieldMarks: body.fieldMarks ?? null }
  if (body.adjustsBalance) {
    moveBalances(started, 'transaction', transaction, deltasOf(transaction))
  }
  return { settlement: endOperation(started), transaction }
}

/**
 * Returns the fields to store. In a nullable column '' becomes null; elsewhere null is ignored.
 * `tags` has the tags of `before` after the changes of tags in the PATCH.
 */
export function storedFields(
  patch: TransactionPatch,
  before: Pick<Transaction, 'tags'> = { tags: null },
): Partial<StatedFields> {
  const given: Record<string, unknown> = { ...patch }
  const stored = statedFields.flatMap(({ name, isNullable }) => {
    const value = isNullable && given[name] === '' ? null : given[name]
    return value === undefined || (value === null && !isNullable) ? [] : [[name, value]]
  })
  return { ...Object.fromEntries(stored), tags: changeTags(before.tags, patch) }
}

/**
 * Returns the envelope in a request, or else the present one; a blank text removes the envelope.
 */
export function nameEnvelope(patch: TransactionPatch, present: NamedEnvelope): NamedEnvelope {
  const { spendingId = present.spendingId, refundSpendingId = present.refundSpendingId } = patch
  return { spendingId: spendingId || null, refundSpendingId: refundSpendingId || null }
}

/**
 * Assigns a transaction to the envelope that a request names: it takes min(held, amount) from it,
 * or gives it a refund. Throws `invalid` unless that is an open envelope of the bank account.
 */
export function assign(
  started: StartedOperation,
  {
    amount,
    date: day,
    transactionId: causeId,
  }: Pick<Transaction, 'amount' | 'date' | 'transactionId'>,
  named: NamedEnvelope,
): Assignment {
  const isRefund = named.refundSpendingId !== null
  const spendingId = named.refundSpendingId ?? named.spendingId
  if (spendingId === null) return unassigned
  const envelope = findEnvelope(started, spendingId)
  if (envelope === null) {
    const text = say('ENVELOPE_UNKNOWN')
    throw invalid(isRefund ? { refundSpendingId: text } : { spendingId: text })
  }
  return assignTo(started, envelope, { amount, day, causeId, isRefund })
}

/** Returns a posted, unassigned transaction of source manual; its original name is its name. */
export function manualTransaction(
  { bankAccount, operation }: Locked,
  { name, ...stated }: Pick<NewTransaction, 'transactionId' | 'name' | 'amount' | 'date'>,
): Transaction {
  const created = { source: 'manual', createdAt: operation.now } as const
  return { ...emptyTransaction(bankAccount, { ...stated, ...created }), name, originalName: name }
}

/** Throws `invalid` (400) if the amount is 0 or outside ±2^53−1. */
export function requireAmount(amount: bigint): void {
  if (amount === 0n) throw invalid({ amount: say('ZERO') })
  inRange(amount)
}

/** Throws `invalid` for a deposit with `spendingId`, or a payment with `refundSpendingId`. */
export function requireSpending(
  { amount }: Pick<Transaction, 'amount'>,
  { spendingId, refundSpendingId }: NamedEnvelope,
): void {
  if (amount < 0n && spendingId !== null) {
    throw invalid({ spendingId: say('DEPOSIT_ASSIGNED') })
  }
  if (amount >= 0n && refundSpendingId !== null) {
    throw invalid({ refundSpendingId: say('REFUND_OF_PAYMENT') })
  }
}
