import fc from 'fast-check'
import { apply } from './model.ts'
import type { Attempt } from './model-generator.ts'
import { type GeneratorKind, kinds } from './model-generators.ts'
import type { Operation } from './model-operation.ts'
import type { Model } from './model-state.ts'

/**
 * A random request. Its operation is built when it is sent: the first of `attempts` that the model
 * accepts. Without such an operation the request waits. A misfit is sent even if the model refuses
 * its operation.
 */
export type RandomRequest = { kind: string; isMisfit: boolean; attempts: readonly Attempt[] }

const kindNames = Object.keys(kinds) as GeneratorKind[]

/** Number of requests by kind, for kinds on which other kinds depend; 1 for each other kind. */
const requestCounts: Partial<Record<GeneratorKind, number>> = {
  create: 2,
  hold: 4,
  postUnnamed: 2,
  pay: 4,
  withdraw: 2,
  deletePaid: 3,
  refund: 3,
  endWithGrace: 4,
  payInGrace: 4,
}

/** Kinds of request that are never misfits: budgeting sends them only to manual bank accounts. */
const neverMisfit: ReadonlySet<GeneratorKind> = new Set<GeneratorKind>(['deposit', 'bill'])

/**
 * Random requests to one bank account: `requests` precede the call that archives or removes it,
 * `last` are concurrent with this call, `late` follow it. `sizes` has for each round the number of
 * requests that are sent concurrently.
 */
export type Life = {
  requests: RandomRequest[]
  sizes: number[]
  last: RandomRequest[]
  late: RandomRequest[]
}

/**
 * Returns a generator of all requests to one bank account, in random order: every kind that applies
 * to its link type, and some requests that the server must refuse.
 */
export function lifeOf(isManual: boolean): fc.Arbitrary<Life> {
  const world = isManual ? 'manual' : 'synced'
  const fitting = kindNames.filter((name) => ['each', world].includes(kinds[name].isFor))
  const others = kindNames.filter((name) => !fitting.includes(name) && !neverMisfit.has(name))
  const often = fitting.flatMap((kind) => Array<GeneratorKind>(requestCounts[kind] ?? 1).fill(kind))
  const fits = often.map((kind) => {
    const attempts = fc.array(kinds[kind].attempt, { minLength: 3, maxLength: 3 })
    return attempts.map((all) => withShortText({ kind, isMisfit: false, attempts: all }))
  })
  const misfits = [others, others, fitting, fitting].map(misfitOf)
  const mixed = fc.tuple(...fits, ...misfits).chain((all) => {
    return fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })
  })
  return fc.record({
    requests: mixed,
    sizes: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 5, maxLength: 10 }),
    last: fc.array(misfitOf(fitting), { minLength: 2, maxLength: 2 }),
    late: fc.array(misfitOf(fitting), { minLength: 3, maxLength: 3 }),
  })
}

function misfitOf(names: readonly GeneratorKind[]): fc.Arbitrary<RandomRequest> {
  const generated = names.map((kind) =>
    kinds[kind].attempt.map((attempt) =>
      withShortText({ kind, isMisfit: true, attempts: [attempt] }),
    ),
  )
  return fc.oneof(...generated)
}

/** Makes fast-check print only the kind of a request; the error message lists the operations. */
function withShortText(one: RandomRequest): RandomRequest {
  return Object.assign(one, { [fc.toStringMethod]: () => one.kind })
}

/**
 * Returns the operation that a request makes in the current state of the model; null if no attempt
 * fits yet.
 */
export function chooseOperation(
  model: Model,
  { attempts, isMisfit }: RandomRequest,
  serial: number,
): Operation | null {
  const operations = attempts.flatMap((attempt) => attempt(model, serial) ?? [])
  const fits = (one: Operation) => isMisfit || apply(structuredClone(model), one)
  return operations.find(fits) ?? null
}
