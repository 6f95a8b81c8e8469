import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { toMessage } from '@coffer/kit/rpc/message'
import { decimalText } from '@coffer/kit/values/decimal'
import { PreviewedFieldSchema } from '@coffer/proto/ledger/v1/rule'
import type { PreviewedField } from '../rules/rule-preview.ts'
import { countSkipped, skippedParts } from './formats/skipped-rows.ts'
import type { FileRow, FileStatement } from './formats/statement.ts'
import { joinsMax, type RowJoin } from './joining/row-joins.ts'

export const previewRowsMax = 50

/** A file beside the stored rows: which of its rows are stored, and which may be. */
export interface Compared {
  statement: FileStatement
  isKnown: (row: FileRow) => boolean
  /** Rows that may be transactions of another source. */
  joins: readonly RowJoin[]
}

/**
 * Returns the parts of a preview: what an import would do with the first rows, in words, the counts
 * of all, and the rows that may be joined; `ruled` has the fields that rules would set.
 */
export function previewParts(
  { statement, isKnown, joins }: Compared,
  ruled: ReadonlyMap<FileRow, PreviewedField[]>,
) {
  const { rows, skipped, balances, currency } = statement
  const duplicates = rows.filter(isKnown).length
  return {
    rows: rows.slice(0, previewRowsMax).map((row) => ({
      uploadIdentifier: row.uploadIdentifier,
      amount: row.amount,
      date: timestampFromDate(row.date),
      name: row.name,
      originalName: row.originalName,
      originalMerchantName: row.originalMerchantName,
      isPending: row.isPending,
      duplicate: isKnown(row),
      effect: isKnown(row) ? 'left out: stored already' : effectOf(row, currency),
      fields: (ruled.get(row) ?? []).map((one) => toMessage(PreviewedFieldSchema, one)),
    })),
    rowCount: BigInt(rows.length),
    newCount: BigInt(rows.length - duplicates),
    duplicateCount: BigInt(duplicates),
    skippedCount: BigInt(skipped.length),
    skipped: skippedParts(countSkipped(skipped)),
    ...(balances.current === null ? {} : { currentBalance: balances.current }),
    ...(balances.available === null ? {} : { availableBalance: balances.available }),
    joinOffers: joins.slice(0, joinsMax).map(offerOf),
    choices: choicesOf(statement),
  }
}

function choicesOf({ choices = [], mark }: FileStatement) {
  const written = { choice: 'decimalMark', value: mark?.mark ?? '', reason: mark?.reason ?? '' }
  return mark === undefined ? [...choices] : [...choices, written]
}

function offerOf({ row, transaction }: RowJoin) {
  const { uploadIdentifier, amount, date, name } = row
  return {
    uploadIdentifier,
    transactionId: transaction.transactionId,
    amount,
    date: timestampFromDate(date),
    name,
    transactionDate: timestampFromDate(transaction.date),
    transactionName: transaction.name ?? transaction.originalName,
  }
}

/** Returns the effect of a row on the bank account as text, such as `4.75 leaves the account`. */
function effectOf({ amount, isPending }: FileRow, currency: string): string {
  const shown = decimalText(amount < 0n ? -amount : amount, currency)
  const direction = amount > 0n ? 'leaves the account' : 'comes into the account'
  return `${shown} ${direction}${isPending ? ', pending' : ''}`
}
