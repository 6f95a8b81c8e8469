import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt'
import { invalid } from '@coffer/kit/rpc/errors'
import { patchOf } from '@coffer/kit/rpc/message'
import { midnightOf } from '@coffer/kit/values/day'
import { newId } from '@coffer/kit/values/id'
import type { CorrectTransactionRequest } from '@coffer/proto/ledger/v1/correction'
import {
  type UpdateTransactionRequest,
  UpdateTransactionRequestSchema,
} from '@coffer/proto/ledger/v1/transaction'
import type { TransactionPatch } from './transaction-creation.ts'

/** Returns the body of a new transaction, its date moved to midnight in the account's timezone. */
export function readCreation<Stated extends { date?: Timestamp | undefined }>(
  { date, ...stated }: Stated,
  timezone: string,
) {
  if (!date) throw invalid({ date: 'is required' })
  return { ...stated, transactionId: newId('txn'), date: midnightOf(timestampDate(date), timezone) }
}

/** Returns the values of a correction, of which one at least is required. */
export function readCorrection(
  { amount, date }: Pick<CorrectTransactionRequest, 'amount' | 'date'>,
  timezone: string,
): Pick<TransactionPatch, 'amount' | 'date'> {
  if (amount === undefined && !date) throw invalid({ amount: 'is required, unless a date is sent' })
  return { amount, date: date && midnightOf(timestampDate(date), timezone) }
}

/** Returns the fields that a PATCH names, its date moved to midnight in the account's timezone. */
export function readPatch(request: UpdateTransactionRequest, timezone: string): TransactionPatch {
  const patch = patchOf(UpdateTransactionRequestSchema, request)
  const date = patch.date instanceof Date ? { date: midnightOf(patch.date, timezone) } : {}
  return { ...patch, ...date }
}
