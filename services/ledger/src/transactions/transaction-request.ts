import { create } from '@bufbuild/protobuf'
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid, type Refusal } from '@coffer/kit/rpc/errors'
import { patchOf } from '@coffer/kit/rpc/message'
import { midnightOf } from '@coffer/kit/values/day'
import { newId } from '@coffer/kit/values/id'
import type { CorrectTransactionRequest } from '@coffer/proto/ledger/v1/correction'
import {
  type ListTransactionsRequest,
  RefusedTransactionSchema,
  type UpdateTransactionRequest,
  UpdateTransactionRequestSchema,
} from '@coffer/proto/ledger/v1/transaction'
import { ProblemsSchema } from '@coffer/proto/options/v1/options'
import type { Correction } from './transaction-change.ts'
import type { TransactionPatch } from './transaction-creation.ts'
import { rangeOf, type TransactionSearch } from './transaction-search.ts'

/** Returns the body of a new transaction, its date moved to midnight in the account's timezone. */
export function readCreation<Stated extends { date?: Timestamp | undefined }>(
  { date, ...stated }: Stated,
  timezone: string,
) {
  if (!date) throw invalid({ date: say('REQUIRED') })
  return { ...stated, transactionId: newId('txn'), date: midnightOf(timestampDate(date), timezone) }
}

/** Returns the values of a correction, its date moved to midnight in the account's timezone. */
export function readCorrection(
  { amount, date, isPending }: CorrectTransactionRequest,
  timezone: string,
): Correction {
  return { amount, isPending, date: date && midnightOf(timestampDate(date), timezone) }
}

/** Returns the fields that a PATCH names, its date moved to midnight in the account's timezone. */
export function readPatch(request: UpdateTransactionRequest, timezone: string): TransactionPatch {
  const patch = patchOf(UpdateTransactionRequestSchema, request)
  const date = patch.date instanceof Date ? { date: midnightOf(patch.date, timezone) } : {}
  return { ...patch, ...date }
}

/** Returns the search of a list's request, in a bank account or (null) in all of them. */
export function readSearch(
  request: ListTransactionsRequest,
  bankAccountId: string | null,
  timezone: string,
): TransactionSearch {
  const { spendingId, free, pending, search, from, to, after, limit } = request
  const {
    deleted: isDeleted,
    amount = null,
    amountFrom = null,
    amountTo = null,
    source = null,
    tag = null,
  } = request
  const date = after?.date && timestampDate(after.date)
  const cursor = after && date ? { date, transactionId: after.transactionId } : null
  return {
    bankAccountId,
    spendingId: spendingId ?? null,
    limit,
    isDeleted,
    isFree: free,
    isUndecided: request.undecided,
    isPending: pending ?? null,
    text: search ?? null,
    amount,
    amountFrom,
    amountTo,
    source,
    tag,
    ...rangeOf({ from: from ?? null, to: to ?? null, after: cursor }, timezone),
  }
}

/** Returns the refusal of one transaction of a bulk request as the case of its result. */
export function renderRefusal(refusal: Refusal) {
  const [problems] = refusal.findDetails(ProblemsSchema)
  const shown = { error: refusal.rawMessage, ...(problems ? { problems } : {}) }
  return { case: 'refused', value: create(RefusedTransactionSchema, shown) } as const
}
