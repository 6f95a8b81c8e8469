import fc from 'fast-check'
import type { Operation, ProviderRow } from './model-operation.ts'
import type { Model, Row } from './model-state.ts'

/** The bank accounts to which a kind of request applies: all, or those of one link type. */
export type For = 'each' | 'manual' | 'synced'

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

/**
 * Returns a function like `generator`, for requests about one of the objects that `list` finds in
 * the model. The object is chosen when the request is sent.
 */
export function generatorOn<One>(isFor: For, list: (model: Model) => readonly One[]) {
  return <Made>(
    fields: Fields<Made>,
    operate: (one: One, made: Made, model: Model, serial: number) => Unnumbered | null,
  ) => {
    const generated = { index: pick, made: fc.record(fields) as fc.Arbitrary<Made> }
    return generator(isFor, generated, ({ index, made }, model, serial) => {
      const one = among(list(model), index)
      return one === null ? null : operate(one, made, model, serial)
    })
  }
}

/** Like `generatorOn`, with the IDs of the chosen rows that have been read from the server. */
export function onRow(isFor: For, isChosen: (row: Row, model: Model) => boolean = () => true) {
  return generatorOn(isFor, (model) => {
    return model.rows.flatMap((row) => (isChosen(row, model) ? (row.id ?? []) : []))
  })
}

/** Like `generatorOn`, with provider transactions that the rows have. */
export function onProviderRow(rowsOf: (row: Row) => ProviderRow[]) {
  return generatorOn('synced', ({ rows }) => rows.flatMap(rowsOf))
}

/** Returns the row at `index` modulo the length; null if the list is empty. */
export function among<T>(list: readonly T[], index: number): T | null {
  return list[index % list.length] ?? null
}
