import { isDeepStrictEqual } from 'node:util'
import { values } from '@coffer/proto/values'
import { z } from 'zod'

/** The fields that rules may set; `spendingId` is the envelope that pays or gets a refund. */
export const markedFields = values['FieldProvenance.field']
export type MarkedField = (typeof markedFields)[number]

/**
 * Provenance by field: the ID of the rule that set the field, and the value that it had then. With
 * `ruleId` null, the user set the field if `value` is null; otherwise the provider stated this
 * value earlier. If the field no longer has the mark's value, the user has set it since.
 */
export const FieldMarks = z.partialRecord(
  z.enum(markedFields),
  z.object({
    ruleId: z.string().nullable(),
    value: z.union([z.string(), z.array(z.string())]).nullable(),
  }),
)
export type FieldMarks = z.infer<typeof FieldMarks>

/** The part of a transaction from which the provenance of its fields follows. */
export interface Marked {
  source: string
  originalName: string
  originalMerchantName: string
  name: string | null
  merchantName: string | null
  notes: string | null
  tags: string[] | null
  spendingId: string | null
  fieldMarks: FieldMarks | null
}

export type FieldSource = { by: 'provider' | 'user' } | { by: 'rule'; ruleId: string }

/** Returns the ID of the rule whose value a field has; null if the value is not that of a rule. */
export function findRuleOf(of: Marked, field: MarkedField): string | null {
  const mark = of.fieldMarks?.[field]
  return mark && isDeepStrictEqual(mark.value, of[field]) ? mark.ruleId : null
}

/**
 * Returns who has set a field (docs/rules/rules.md#provenance). A field without a mark was set by
 * the user if it differs from the provider's value; `isRenamed` is the result of this comparison
 * for the name.
 */
export function sourceOf(
  of: Marked,
  field: MarkedField,
  isRenamed = of.name !== of.originalName && of.name !== of.originalMerchantName,
): FieldSource {
  const ruleId = findRuleOf(of, field)
  if (ruleId !== null) return { by: 'rule', ruleId }
  if (isFormer(of, field)) return { by: 'provider' }
  return { by: of.fieldMarks?.[field] || isUnlike(of, field, isRenamed) ? 'user' : 'provider' }
}

/** Returns whether the field has a value that, by its mark, the provider stated earlier. */
function isFormer(of: Marked, field: MarkedField): boolean {
  const value = of.fieldMarks?.[field]?.value ?? null
  return value !== null && isDeepStrictEqual(value, of[field])
}

/** Returns whether a mark says that the user has set the field. */
export function isUsers({ fieldMarks }: Pick<Marked, 'fieldMarks'>, field: MarkedField): boolean {
  const mark = fieldMarks?.[field]
  return mark !== undefined && mark.ruleId === null && mark.value === null
}

/** Returns the mark of a value that the provider has stated; null for no value. */
export function markStated(value: string | string[] | null): FieldMarks[MarkedField] | null {
  return value === null ? null : { ruleId: null, value }
}

function isUnlike(of: Marked, field: MarkedField, isRenamed: boolean): boolean {
  if (field === 'name') return of.source === 'manual' || isRenamed
  if (field === 'merchantName') {
    // Imports of files set only the original merchant, so a null here is no edit by the user.
    const isImported = of.source === 'upload' && of.merchantName === null
    return !isImported && (of.merchantName ?? '') !== of.originalMerchantName
  }
  return of[field] !== null
}

/**
 * Returns the marks after the user has set these fields. A value equal to that of a rule or the
 * provider is marked too: by stating it, the user fixes it against later changes.
 */
export function markEdits(
  before: FieldMarks | null,
  fields: readonly MarkedField[],
): FieldMarks | null {
  if (fields.length === 0) return before
  const marks = fields.map((field) => [field, { ruleId: null, value: null }])
  return { ...before, ...Object.fromEntries(marks) }
}

/** Returns `to` with the marks of these fields replaced by those of `from`. */
export function carryMarks(
  to: FieldMarks | null,
  from: FieldMarks | null,
  fields: readonly MarkedField[],
): FieldMarks | null {
  if (to === null && from === null) return null
  const carried = fields.map((field) => [field, from?.[field]])
  const marks = Object.entries({ ...to, ...Object.fromEntries(carried) })
  const kept = marks.filter(([, mark]) => mark !== undefined)
  return kept.length === 0 ? null : Object.fromEntries(kept)
}
