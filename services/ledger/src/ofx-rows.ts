import { childOf, descendantsOf, type OfxNode, textOf } from './ofx-tree.ts'
import { readAmount, readDay } from './ofx-values.ts'

/** A transaction as the file has it, in our terms: positive minor units leave the account. */
export type FileRow = {
  uploadIdentifier: string
  amount: bigint
  /** Midnight in the account's timezone. */
  date: Date
  name: string
  originalName: string
  originalMerchantName: string
}

/** Why a row was left out: what could not be read, or why it is not a transaction of its own. */
export type SkipReason = 'amount' | 'zero' | 'date' | 'currency' | 'correction' | 'duplicate'
export type SkippedRow = { identifier: string; reason: SkipReason }

/** Rows in the order of the file. */
export type ReadRows = { rows: FileRow[]; skipped: SkippedRow[] }

/** Names are bounded everywhere; no bank writes longer ones (`decisions.md` General). */
const nameLengthMax = 300

type RowSettings = { currency: string; places: number; timezone: string }

/**
 * The transactions of a statement (`spec/ledger.md` 6.4, `decisions.md` Ledger). The file's sign is
 * inverted for every type. Of two rows with one identifier the later is skipped. A row without an
 * identifier is named by what it says and how many equal rows came before it, so that the same file
 * is known again.
 */
export function readRows(statement: OfxNode, settings: RowSettings): ReadRows {
  const read: ReadRows = { rows: [], skipped: [] }
  const seen = new Set<string>()
  const equals = new Map<string, number>()
  for (const node of descendantsOf(statement, 'STMTTRN')) {
    const row = readRow(node, settings)
    if (typeof row === 'string') {
      read.skipped.push({ identifier: textOf(node, 'FITID'), reason: row })
      continue
    }
    if (row.uploadIdentifier === '') {
      const content = `${textOf(node, 'DTPOSTED')} ${row.amount} ${row.name} ${row.originalName}`
      const count = (equals.get(content) ?? 0) + 1
      equals.set(content, count)
      row.uploadIdentifier = `${content} #${count}`
    }
    if (seen.has(row.uploadIdentifier)) {
      read.skipped.push({ identifier: row.uploadIdentifier, reason: 'duplicate' })
      continue
    }
    seen.add(row.uploadIdentifier)
    read.rows.push(row)
  }
  return read
}

function readRow(node: OfxNode, { currency, places, timezone }: RowSettings): FileRow | SkipReason {
  const ownCurrency = textOf(childOf(node, 'CURRENCY'), 'CURSYM').toUpperCase()
  if (ownCurrency !== '' && ownCurrency !== currency) {
    return 'currency'
  }
  if (textOf(node, 'CORRECTFITID') !== '') {
    return 'correction'
  }
  const amount = readAmount(textOf(node, 'TRNAMT'), places)
  if (amount === null) {
    return 'amount'
  }
  if (amount === 0n) {
    return 'zero'
  }
  const date = readDay(textOf(node, 'DTPOSTED'), timezone)
  if (date === null) {
    return 'date'
  }
  const name = textOf(node, 'NAME') || textOf(childOf(node, 'PAYEE'), 'NAME')
  const memo = textOf(node, 'MEMO')
  const shown = (name || memo || describe(node)).slice(0, nameLengthMax).toWellFormed()
  return {
    uploadIdentifier: textOf(node, 'FITID'),
    amount: -amount,
    date,
    name: shown,
    originalName: memo || shown,
    originalMerchantName: shown,
  }
}

/** What to call a row that has neither name nor memo, such as a check. */
function describe(node: OfxNode): string {
  const checkNumber = textOf(node, 'CHECKNUM')
  return checkNumber === '' ? textOf(node, 'TRNTYPE') || 'Transaction' : `Check ${checkNumber}`
}
