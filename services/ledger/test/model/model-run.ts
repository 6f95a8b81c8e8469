import type { Database } from '@coffer/kit/database/database'
import { apply } from './model.ts'
import { chooseOperation, type RandomRequest } from './model-life.ts'
import type { Operation } from './model-operation.ts'
import { readState } from './model-reading.ts'
import { type Home, request, type Uploads } from './model-requests.ts'
import { type Model, visibleState } from './model-state.ts'

type Done = { operation: Operation; isAccepted: boolean }
type State = ReturnType<typeof visibleState>

/** Numbers of accepted and of refused requests, each by kind of request. */
export type Tally = { accepted: Record<string, number>; refused: Record<string, number> }

/** A bank account on the server, and the model of its expected state. */
export type World = {
  home: Home
  database: Database
  uploads: Uploads
  model: Model
  serial: number
  tally: Tally
}

/**
 * Sends up to `size` of the random requests that the state of the model allows, concurrently with
 * the operations `besides`. Returns the requests that were not sent.
 */
export async function sendSome(
  world: World,
  requests: readonly RandomRequest[],
  { size, besides = [] }: { size: number; besides?: readonly Operation['kind'][] },
): Promise<RandomRequest[]> {
  const chosen = new Map<RandomRequest, Operation>()
  for (const candidate of requests) {
    if (chosen.size === size) break
    world.serial += 1
    const operation = chooseOperation(world.model, candidate, world.serial)
    if (operation) chosen.set(candidate, operation)
  }
  const named = [...chosen].map(([{ kind }, operation]) => ({ kind, operation }))
  const others = besides.map((kind) => ({ kind, operation: { kind, serial: 0 } as Operation }))
  const requested = [...named, ...others]
  const done = await round(
    world,
    requested.map(({ operation }) => operation),
  )
  for (const [index, { isAccepted }] of done.entries()) {
    const counts = isAccepted ? world.tally.accepted : world.tally.refused
    const { kind } = requested[index] ?? { kind: '' }
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return requests.filter((candidate) => !chosen.has(candidate))
}

/**
 * Sends operations concurrently, then compares the server's state with the model. Throws if no
 * order of the operations explains the answers and the state.
 */
async function round(world: World, operations: readonly Operation[]): Promise<Done[]> {
  const { home, model, database, uploads } = world
  const done = await Promise.all(
    operations.map(async (operation) => {
      return { operation, isAccepted: await request(home, operation, uploads) }
    }),
  )
  const { state, ids } = await readState(home, database, uploads)
  const after = findExplanation(model, done, state)
  if (!after) throw new Error(`no order explains ${describeMismatch(model, done, state)}`)
  for (const row of after.rows) {
    if (!row.isDeleted) row.id = ids.get(row.name) ?? row.id
  }
  world.model = after
  return done
}

/**
 * Returns the model after the operations, in an order that explains the answers and the state of
 * the server; undefined if no order does.
 */
function findExplanation(model: Model, done: readonly Done[], state: State): Model | undefined {
  const now = JSON.stringify(state)
  for (const order of orders(done)) {
    const after = structuredClone(model)
    const predicted = order.map(({ operation }) => apply(after, operation))
    const isExplained = order.every(({ operation, isAccepted }, index) => {
      // An import is answered with 404, although it was stored, if the bank account is removed
      // right after.
      const isLost = operation.kind === 'import' && !isAccepted && after.stage === 'removed'
      return isLost || predicted[index] === isAccepted
    })
    if (isExplained && JSON.stringify(visibleState(after)) === now) return after
  }
  return undefined
}

/** Returns all permutations of a list: the possible orders of concurrent operations. */
function orders<T>(all: readonly T[]): T[][] {
  if (all.length < 2) return [[...all]]
  return all.flatMap((first, index) =>
    orders(all.toSpliced(index, 1)).map((rest) => [first, ...rest]),
  )
}

const rowsShown = 20

/**
 * Returns the error message of a mismatch: the operations, the expected state if they run in the
 * given order, and the actual state.
 */
function describeMismatch(model: Model, done: readonly Done[], now: State): string {
  const after = structuredClone(model)
  const predicted = done.map(({ operation }) => apply(after, operation))
  const expected = visibleState(after)
  const differences = (one: State, other: State) => {
    const same = new Set(other?.rows.map((row) => JSON.stringify(row)))
    const rows = one?.rows.filter((row) => !same.has(JSON.stringify(row)))
    return { ...one, rows: rows?.slice(0, rowsShown) }
  }
  const states = { expected: differences(expected, now), now: differences(now, expected) }
  const before = model.rows.filter(({ upload }) => upload === null)
  return JSON.stringify({ done, predicted, ...states, before }, null, 1)
}
