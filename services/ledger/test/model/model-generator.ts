import fc from 'fast-check'
import type { Operation } from './model-operation.ts'
import type { Model, Row } from './model-state.ts'

/** The bank accounts to which a kind of request applies: all, or those of one link type. */
type For = 'each' | 'manual' | 'synced'

/** Builds the operation of a random request; null while the model lacks the object to change. */
export type Attempt = (model: Model, serial: number) => Operation | null

// Generates an index into the objects that exist when the operation is built, modulo their number.
export const pick = fc.nat({ max: 999 })

type Unnumbered<One = Operation> = One extends Operation ? Omit<One, 'serial'> : never
type Fields<Made> = { [Name in keyof Made]: fc.Arbitrary<Made[Name]> }

/**
 * Returns a generator of random requests of one kind: fast-check generates `fields`, and `operate`
 * builds the operation from them.
 */
export function generator<Made>(
  isFor: For,
  fields: Fields<Made>,
  operate: (made: Made, model: Model, serial: number) => Unnumbered | null,
) {
  const attempt = fc.record(fields).map((made): Attempt => {
    return (model, serial) => {
      const operation = operate(made as Made, model, serial)
      return operation && { ...operation, serial }
    }
  })
  return { isFor, attempt }
}

type WithoutRow<One = Unnumbered> = One extends { id: string } ? Omit<One, 'id'> : never

/**
 * Returns a generator of random requests about one existing transaction, which is chosen when the
 * request is sent.
 */
export function rowGenerator<Made>(
  isFor: For,
  fields: Fields<Made>,
  operate: (made: Made, model: Model, serial: number) => WithoutRow,
) {
  const generated = { made: fc.record(fields), row: pick }
  return generator<{ made: Made; row: number }>(
    isFor,
    generated as Fields<{ made: Made; row: number }>,
    ({ made, row }, model, serial) => {
      const id = among(idsOf(model.rows), row)
      return id === null ? null : ({ ...operate(made, model, serial), id } as Unnumbered)
    },
  )
}

/** Returns the item at `index` modulo the length; null if the list is empty. */
export function among<T>(list: readonly T[], index: number): T | null {
  return list[index % list.length] ?? null
}

/** Returns the transaction IDs of the rows that have been read from the server. */
export function idsOf(rows: readonly Row[]): string[] {
  return rows.flatMap(({ id }) => id ?? [])
}

/** Returns the restoration of the deleted row at `index`; null without deleted rows. */
export function restoration(rows: readonly Row[], index: number): Unnumbered | null {
  const id = among(idsOf(rows.filter(({ isDeleted }) => isDeleted)), index)
  return id === null ? null : { kind: 'restore', id }
}
