import type { CsvMapping, ImportMapping } from '../../../api/import-queries.ts'
import { importWords as words } from '../../../words/imports.ts'

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
