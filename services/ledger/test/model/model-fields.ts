import fc from 'fast-check'
import { z } from 'zod'
import { StatedFields } from '../../src/book/transaction.ts'

/**
 * Fields of a transaction that its user states and that no rule of the ledger reads. They come from
 * the row schema, so that the model checks a new field without a change.
 */
const FreeFields = StatedFields.omit({
  amount: true,
  date: true,
  name: true,
  spendingId: true,
  isPending: true,
})
export type FreeFields = z.infer<typeof FreeFields>

const freeNames = Object.keys(FreeFields.shape) as (keyof FreeFields)[]

/** Generators of values, by field. */
export const freeValues = Object.fromEntries(
  freeNames.map((name) => [name, generatorFor(FreeFields.shape[name])]),
) as { [Name in keyof FreeFields]: fc.Arbitrary<FreeFields[Name]> }

/** Returns the free fields of an object; a missing one is null. */
export function freeOf(of: Partial<Record<keyof FreeFields, unknown>>): FreeFields {
  const stated = (value: unknown) => (Array.isArray(value) && value.length === 0 ? null : value)
  return Object.fromEntries(freeNames.map((name) => [name, stated(of[name]) ?? null])) as FreeFields
}

function generatorFor(type: z.core.$ZodType): fc.Arbitrary<unknown> {
  if (type instanceof z.ZodNullable) return fc.option(generatorFor(type.unwrap()))
  if (type instanceof z.ZodString) return fc.constantFrom('For Kim', 'Paid twice')
  if (type instanceof z.ZodArray) {
    return fc.uniqueArray(generatorFor(type.element), { minLength: 1, maxLength: 2 })
  }
  if (type instanceof z.ZodBoolean) return fc.boolean()
  if (type instanceof z.ZodEnum) return fc.constantFrom(...type.options)
  throw new Error('no generator for the type of a field: add it here')
}
