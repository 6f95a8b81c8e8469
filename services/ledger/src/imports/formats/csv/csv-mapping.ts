import { createHash } from 'node:crypto'
import type { Problems } from '@coffer/kit/rpc/errors'
import { withoutJoiners } from '@coffer/kit/values/printable'
import { z } from 'zod'
import { isDayFormat } from '../day-format.ts'

/** Refers to the column `name`, or if `derivedKind` is `rowNumber`, to the row's number from 1. */
export const FieldRef = z.object({
  name: z.string().optional(),
  derivedKind: z.string().optional(),
})
export type FieldRef = z.infer<typeof FieldRef>

const fields = z.array(FieldRef)

/** The mapping of CSV columns to fields of transactions (docs/files.md#csv-mappings). */
export const CsvMapping = z.object({
  headers: z.array(z.string()),
  id: z.object({ kind: z.enum(['native', 'hashed']), fields }),
  amount: z.object({
    kind: z.enum(['sign', 'type', 'column']),
    invert: z.boolean(),
    fields,
    /** Kind `type` only: the text in the second field for money in; `debit` is for money out. */
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
  balance: z.object({ kind: z.enum(['none', 'sum', 'field']), fields }),
})
export type CsvMapping = z.infer<typeof CsvMapping>

export const headersMax = 20
export const headerLengthMax = 100
const fieldsMax = 20
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u

const texts = {
  reference: 'must be one of the headers by name, or derivedKind rowNumber, and not both',
  unique: 'must be unique',
  forbidden: 'only goes with kind type',
} as const

/** Returns a mapping's problems by field, or null if it is valid (docs/files.md#csv-mappings). */
export function problemsOfMapping(mapping: CsvMapping): Problems | null {
  const { headers, id, amount, memo, merchant, date, posted, balance } = mapping
  const check = (refs: readonly FieldRef[], count: { min: number; max: number }) =>
    problemOfFields(refs, { headers, ...count })
  const one = { min: 1, max: 1 }
  const amountCount = amount.kind === 'sign' ? 1 : 2
  const balanceCount = balance.kind === 'field' ? 1 : 0
  return present({
    headers: problemOfHeaders(headers),
    id: present({ fields: check(id.fields, { min: 1, max: fieldsMax }) }),
    amount: present({
      fields: check(amount.fields, { min: amountCount, max: amountCount }),
      ...problemsOfTexts(amount),
    }),
    memo: problemOfRef(memo, headers),
    merchant: merchant === undefined ? null : problemOfRef(merchant, headers),
    date: present({
      fields: check(date.fields, one),
      format: isDayFormat(date.format)
        ? null
        : 'must name year, month and day once each, like YYYY-MM-DD or M/D/YY',
    }),
    posted:
      posted === undefined
        ? null
        : present({
            fields: check(posted.fields, one),
            posted: lengthOf(posted.posted) <= 100 ? null : 'must have at most 100 characters',
          }),
    balance: present({ fields: check(balance.fields, { min: balanceCount, max: balanceCount }) }),
  })
}

/** Returns the signature that mappings of equal columns share (docs/files.md#csv-mappings). */
export function signatureOf(headers: readonly string[]): string {
  const names = headers.map((name) => name.toLowerCase()).sort()
  return createHash('sha256').update(names.join(',')).digest('hex')
}

/** Returns the length in characters: Unicode code points. */
function lengthOf(text: string): number {
  return [...text].length
}

function problemOfHeaders(headers: readonly string[]): string | null {
  if (headers.length === 0 || headers.length > headersMax) {
    return `must have 1 to ${headersMax} names`
  }
  if (new Set(headers).size < headers.length) return texts.unique
  const isName = (name: string) =>
    name !== '' && lengthOf(name) <= headerLengthMax && PRINTABLE.test(withoutJoiners(name))
  return headers.every(isName)
    ? null
    : `must each have 1 to ${headerLengthMax} printable characters`
}

/** Returns the problems of `credit` and `debit`: required if `kind` is `type`, else forbidden. */
function problemsOfTexts({ kind, credit, debit }: CsvMapping['amount']) {
  if (kind !== 'type') {
    return {
      credit: credit === undefined ? null : texts.forbidden,
      debit: debit === undefined ? null : texts.forbidden,
    }
  }
  const problemOf = (text: string | undefined) =>
    text === undefined || text === '' || lengthOf(text) > 100
      ? 'must have 1 to 100 characters'
      : null
  return {
    credit: problemOf(credit),
    debit: problemOf(debit) ?? (debit === credit ? 'must differ from credit' : null),
  }
}

function problemOfFields(
  refs: readonly FieldRef[],
  { headers, min, max }: { headers: readonly string[]; min: number; max: number },
): string | null {
  if (refs.length < min || refs.length > max) {
    const count = min === max ? `exactly ${min}` : `${min} to ${max}`
    return `must have ${count} ${max === 1 ? 'field' : 'fields'}`
  }
  const names = refs.map((ref) => ref.name ?? `\0${ref.derivedKind}`)
  if (new Set(names).size < names.length) return texts.unique
  return refs.map((ref) => problemOfRef(ref, headers)).find((problem) => problem !== null) ?? null
}

function problemOfRef({ name, derivedKind }: FieldRef, headers: readonly string[]): string | null {
  const isColumn = name !== undefined && derivedKind === undefined && headers.includes(name)
  const isDerived = name === undefined && derivedKind === 'rowNumber'
  return isColumn || isDerived ? null : texts.reference
}

/** Returns the problems that are not null, or null when there are none. */
function present(problems: Record<string, string | Problems | null>): Problems | null {
  const found = Object.entries(problems).filter(([, problem]) => problem !== null)
  return found.length === 0 ? null : (Object.fromEntries(found) as Problems)
}
