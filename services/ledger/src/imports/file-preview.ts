import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { decimalText } from '@coffer/kit/values/decimal'
import { countSkipped, skippedParts } from './formats/skipped-rows.ts'
import type { FileRow, FileStatement } from './formats/statement.ts'

const previewRowsMax = 50

/**
 * Returns the parts of a preview: what an import would do with the first rows, in words, and the
 * counts of all; `isKnown` returns whether a row is stored already.
 */
export function previewParts(
  { rows, skipped, balances, currency }: FileStatement,
  isKnown: (row: FileRow) => boolean,
) {
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
    })),
    rowCount: BigInt(rows.length),
    newCount: BigInt(rows.length - duplicates),
    duplicateCount: BigInt(duplicates),
    skippedCount: BigInt(skipped.length),
    skipped: skippedParts(countSkipped(skipped)),
    ...(balances.current === null ? {} : { currentBalance: balances.current }),
    ...(balances.available === null ? {} : { availableBalance: balances.available }),
  }
}

/** Returns the effect of a row on the bank account as text, such as `4.75 leaves the account`. */
function effectOf({ amount, isPending }: FileRow, currency: string): string {
  const shown = decimalText(amount < 0n ? -amount : amount, currency)
  const direction = amount > 0n ? 'leaves the account' : 'comes into the account'
  return `${shown} ${direction}${isPending ? ', pending' : ''}`
}
