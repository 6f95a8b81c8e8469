import type { ReadRows, SkipReason } from '../statement.ts'
import { nameRows, namesOf, type UnnamedRow } from '../statement-rows.ts'
import { type Day, readAmount } from '../statement-values.ts'
import { childOf, descendantsOf, type OfxNode, textOf } from './ofx-tree.ts'
import { readDay } from './ofx-values.ts'

type RowSettings = { currency: string; places: number; midnightOf: (day: Day) => Date | null }

/**
 * Returns the transactions of a statement (docs/file-formats.md#ofx-qfx-qbo). The file's sign is
 * inverted for every type.
 */
export function readRows(statement: OfxNode, settings: RowSettings): ReadRows {
  const found = descendantsOf(statement, 'STMTTRN').map((node) => {
    const row = readRow(node, settings)
    return typeof row === 'string' ? { identifier: textOf(node, 'FITID'), reason: row } : row
  })
  return nameRows(found)
}

function readRow(
  node: OfxNode,
  { currency, places, midnightOf }: RowSettings,
): UnnamedRow | SkipReason {
  const ownCurrency = textOf(childOf(node, 'CURRENCY'), 'CURSYM').toUpperCase()
  if (ownCurrency !== '' && ownCurrency !== currency) return 'currency'
  if (textOf(node, 'CORRECTFITID') !== '') return 'correction'
  const amount = readAmount(textOf(node, 'TRNAMT'), places)
  if (amount === null) return 'amount'
  if (amount === 0n) return 'zero'
  const date = readDay(textOf(node, 'DTPOSTED'), midnightOf)
  if (date === null) return 'date'
  const names = namesOf({
    name: textOf(node, 'NAME') || textOf(childOf(node, 'PAYEE'), 'NAME'),
    memo: textOf(node, 'MEMO'),
    description: describe(node),
  })
  return {
    identifier: textOf(node, 'FITID'),
    row: { amount: -amount, date, ...names, isPending: false },
  }
}

/** Returns the name of a row without name and memo, such as a check. */
function describe(node: OfxNode): string {
  const checkNumber = textOf(node, 'CHECKNUM')
  return checkNumber === '' ? textOf(node, 'TRNTYPE') || 'Transaction' : `Check ${checkNumber}`
}
