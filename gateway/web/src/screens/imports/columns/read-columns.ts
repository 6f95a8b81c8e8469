import type { CsvMapping, ImportMapping } from '../../../api/import-queries.ts'
import { importWords as words } from '../../../words/imports.ts'
import { writeExample } from './column-mapping.ts'

/** Returns the columns that a mapping uses, each with its label, in the order of the form. */
export function readColumns(
  mapping: CsvMapping | ImportMapping['mapping'],
): { label: string; column: string }[] {
  const { date, memo, merchant, amount, id, balance } = mapping
  const fields = [
    [words.date, date.fields],
    [words.memo, [memo]],
    [words.merchant, merchant ? [merchant] : []],
    [words.amount, amount.fields],
    // A hashed ID has no column of its own: it is computed from the columns above.
    [words.id, id.kind === 'native' ? id.fields : []],
    [words.balance, balance.fields ?? []],
  ] as const
  return fields.flatMap(([label, all]) => {
    const column = all.flatMap(({ name }) => name ?? []).join(', ')
    return column ? [{ label, column }] : []
  })
}

/** Returns how a mapping reads days and amounts, each with its label. */
export function readManner(
  mapping: CsvMapping | ImportMapping['mapping'],
): { label: string; column: string }[] {
  const { format } = mapping.date
  const { kind, invert, debit = '', credit = '' } = mapping.amount
  const day = {
    label: words.format,
    column: words.formatOf({ example: writeExample(format), format }),
  }
  if (kind === 'sign') {
    return [day, { label: words.plain, column: words.plainAmounts[invert ? 'minus' : 'plain'] }]
  }
  if (kind === 'column') return [day]
  return [
    day,
    { label: words.debitWord, column: debit },
    { label: words.creditWord, column: credit },
  ]
}
