import { createHash } from 'node:crypto'
import { values } from '@coffer/proto/values'
import { z } from 'zod'

/** Refers to the column `name`, or with `derivedKind` `rowNumber` to the row's number from 1. */
export const FieldRef = z.object({
  name: z.string().optional(),
  derivedKind: z.string().optional(),
})
export type FieldRef = z.infer<typeof FieldRef>

/** Returns the default name of a column without a name; `index` is from 0. */
export function nameByPlace(index: number): string {
  return `Column ${index + 1}`
}

/** Returns whether a field refers to a column by its default name. */
export function isUnnamed({ name = '' }: FieldRef): boolean {
  return /^Column \d+$/.test(name)
}

const fields = z.array(FieldRef)

/** The mapping of CSV columns to fields of transactions (docs/files.md#csv-mappings). */
export const CsvMapping = z.object({
  headers: z.array(z.string()),
  id: z.object({ kind: z.enum(values['MappingIdentifier.kind']), fields }),
  amount: z.object({
    kind: z.enum(values['MappingAmount.kind']),
    invert: z.boolean(),
    fields,
    /** Only kind `type`: the text in the second field for money in; `debit` is for money out. */
    credit: z.string().optional(),
    debit: z.string().optional(),
  }),
  memo: FieldRef,
  merchant: FieldRef.optional(),
  date: z.object({ fields, format: z.string() }),
  /**
   * A row is posted if its cell in `fields` equals the text `posted`, otherwise pending; without
   * this key, every row is posted.
   */
  posted: z.object({ fields, posted: z.string() }).optional(),
  balance: z.object({ kind: z.enum(values['MappingBalance.kind']), fields }),
})
export type CsvMapping = z.infer<typeof CsvMapping>

/** Returns the signature that mappings of equal columns share (docs/files.md#csv-mappings). */
export function signatureOf(headers: readonly string[]): string {
  const names = headers.map((name) => name.toLowerCase()).sort()
  return createHash('sha256').update(names.join(',')).digest('hex')
}
