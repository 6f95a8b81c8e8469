import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { toMessage } from '@coffer/kit/rpc/message'
import { decimalText } from '@coffer/kit/values/decimal'
import { PreviewedFieldSchema } from '@coffer/proto/ledger/v1/rule'
import { MisfitSchema } from '@coffer/proto/ledger/v1/upload'
import { magnitudeOf } from '../book/money.ts'
import type { PreviewedField } from '../rules/rule-preview.ts'
import type { Misfit } from './fit/file-fit.ts'
import { skippedParts, sumSkipped } from './formats/skipped-rows.ts'
import { type FileRow, type ReceivedStatement, statesBalances } from './formats/statement.ts'
import { isPosting, type RowJoin } from './joining/row-joins.ts'

export const previewRowsMax = 50
const posting = 'posts the pending transaction'

/** The comparison of a file with the stored rows of its bank account. */
export interface Compared extends Omit<ReceivedStatement, 'rows' | 'plain'> {
  /** First rows: `isKnown` if stored already, `isBooked` if the row posts a pending transaction. */
  shown: readonly { row: FileRow; isKnown: boolean; isBooked: boolean }[]
  rowCount: number
  knownCount: number
  setsBalances: boolean
  /** The first rows that may be transactions of another source; `joinCount` counts all of them. */
  joins: readonly RowJoin[]
  joinCount: number
  /** Changes of the current balance if a join posts a pending transaction, by the latter's ID. */
  balanceChanges: ReadonlyMap<string, bigint>
  misfits: readonly Misfit[]
}

/**
 * Returns the parts of a preview: the effects of an import on the first rows in words, the counts
 * of all rows, and the rows that may be joined. `ruled` has the fields that rules would set.
 */
export function previewParts(
  {
    shown,
    rowCount,
    knownCount,
    joins,
    joinCount,
    balanceChanges,
    misfits,
    ...statement
  }: Compared,
  ruled: ReadonlyMap<FileRow, PreviewedField[]>,
) {
  const { skipped, balances, currency } = statement
  return {
    rows: shown.map(({ row, isKnown, isBooked }) => ({
      uploadIdentifier: row.uploadIdentifier,
      amount: row.amount,
      date: timestampFromDate(row.date),
      name: row.name,
      originalName: row.originalName,
      originalMerchantName: row.originalMerchantName,
      isPending: row.isPending,
      duplicate: isKnown,
      effect: isBooked ? posting : effectOf(row, { isKnown, currency }),
      booksPending: isBooked,
      fields: (ruled.get(row) ?? []).map((one) => toMessage(PreviewedFieldSchema, one)),
    })),
    rowCount: BigInt(rowCount),
    newCount: BigInt(rowCount - knownCount),
    duplicateCount: BigInt(knownCount),
    skippedCount: BigInt(sumSkipped(skipped)),
    skipped: skippedParts(skipped),
    ...(balances.current === null ? {} : { currentBalance: balances.current }),
    ...(balances.available === null ? {} : { availableBalance: balances.available }),
    setsBalances: statement.setsBalances,
    ...(balances.asOf && statesBalances(balances)
      ? { balancesAsOf: timestampFromDate(balances.asOf) }
      : {}),
    joinOffers: joins.map((one) => offerOf(one, balanceChanges)),
    joinOfferCount: BigInt(joinCount),
    choices: choicesOf(statement),
    misfits: misfits.map((one) => toMessage(MisfitSchema, one)),
  }
}

function choicesOf({ choices = [], mark }: Pick<ReceivedStatement, 'choices' | 'mark'>) {
  const written = { choice: 'decimalMark', value: mark?.mark ?? '', reason: mark?.reason ?? '' }
  return mark === undefined ? [...choices] : [...choices, written]
}

function offerOf({ row, transaction }: RowJoin, balanceChanges: Compared['balanceChanges']) {
  const { uploadIdentifier, amount, date, name } = row
  return {
    uploadIdentifier,
    transactionId: transaction.transactionId,
    amount,
    date: timestampFromDate(date),
    name,
    transactionDate: timestampFromDate(transaction.date),
    transactionName: transaction.name ?? transaction.originalName,
    transactionIsPending: transaction.isPending,
    effect: isPosting({ row, transaction }) ? posting : 'stores nothing',
    balanceChange: balanceChanges.get(transaction.transactionId) ?? 0n,
  }
}

/** Returns the effect of a row on the bank account as text, such as `4.75 leaves the account`. */
function effectOf(
  { amount, isPending }: FileRow,
  { isKnown, currency }: { isKnown: boolean; currency: string },
): string {
  if (isKnown) return 'left out: stored already'
  const shown = decimalText(magnitudeOf(amount), currency)
  const direction = amount > 0n ? 'leaves the account' : 'comes into the account'
  return `${shown} ${direction}${isPending ? ', pending' : ''}`
}
