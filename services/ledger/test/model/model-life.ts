import fc from 'fast-check'
import { apply } from './model.ts'
import type { Operation } from './model-operation.ts'
import type { Model } from './model-state.ts'
import type { Attempt } from './model-wish.ts'
import { kinds, type WishKind } from './model-wishes.ts'

/** A planned request. A misfit is sent even if the model expects a refusal. */
export type Wish = { kind: string; isMisfit: boolean; attempts: readonly Attempt[] }

const kindNames = Object.keys(kinds) as WishKind[]

/** Number of wishes of kinds that others depend on or undo; 1 for all other kinds. */
const wishCounts: Partial<Record<WishKind, number>> = {
  create: 2,
  hold: 4,
  postUnnamed: 2,
  pay: 4,
  withdraw: 2,
}

/** Budgeting books no automatic transactions on synced accounts. */
const neverMisfit: ReadonlySet<WishKind> = new Set<WishKind>(['deposit', 'bill'])

/** The wishes of one bank account: before its end, concurrent with it (`last`), and after it. */
export type Life = { wishes: Wish[]; sizes: number[]; last: Wish[]; late: Wish[] }

/** A wish of every kind that fits the account, and some misfits, in any order. */
export function lifeOf(isManual: boolean): fc.Arbitrary<Life> {
  const world = isManual ? 'manual' : 'synced'
  const fitting = kindNames.filter((name) => ['each', world].includes(kinds[name].isFor))
  const others = kindNames.filter((name) => !fitting.includes(name) && !neverMisfit.has(name))
  const often = fitting.flatMap((kind) => Array<WishKind>(wishCounts[kind] ?? 1).fill(kind))
  const fits = often.map((kind) => {
    const attempts = fc.array(kinds[kind].attempt, { minLength: 3, maxLength: 3 })
    return attempts.map((all) => withShortText({ kind, isMisfit: false, attempts: all }))
  })
  const misfits = [others, others, fitting, fitting].map(misfitOf)
  const mixed = fc.tuple(...fits, ...misfits).chain((all) => {
    return fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })
  })
  return fc.record({
    wishes: mixed,
    /** Number of concurrent requests, by round. */
    sizes: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 5, maxLength: 10 }),
    last: fc.array(misfitOf(fitting), { minLength: 2, maxLength: 2 }),
    late: fc.array(misfitOf(fitting), { minLength: 3, maxLength: 3 }),
  })
}

function misfitOf(names: readonly WishKind[]): fc.Arbitrary<Wish> {
  const wished = names.map((kind) =>
    kinds[kind].attempt.map((attempt) =>
      withShortText({ kind, isMisfit: true, attempts: [attempt] }),
    ),
  )
  return fc.oneof(...wished)
}

/** Makes fast-check print the kind only: the error lists the operations. */
function withShortText(wish: Wish): Wish {
  return Object.assign(wish, { [fc.toStringMethod]: () => wish.kind })
}

/** The operation for a wish in the model's current state; null if none fits yet. */
export function chooseOperation(
  model: Model,
  { attempts, isMisfit }: Wish,
  serial: number,
): Operation | null {
  const operations = attempts.flatMap((attempt) => attempt(model, serial) ?? [])
  const fits = (one: Operation) => isMisfit || apply(structuredClone(model), one)
  return operations.find(fits) ?? null
}
