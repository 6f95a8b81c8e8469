import type { Database } from '@coffer/kit/database/database'
import { apply } from './model.ts'
import { operationOf, type Wish } from './model-life.ts'
import { look } from './model-look.ts'
import type { Operation } from './model-operation.ts'
import { type Home, request, type Uploads } from './model-requests.ts'
import { type Model, seen } from './model-state.ts'

type Done = { operation: Operation; isAccepted: boolean }
type State = ReturnType<typeof seen>

/** How often wishes of each kind were accepted, and how often refused. */
export type Tally = { accepted: Record<string, number>; refused: Record<string, number> }

/** A bank account as it is and as the model has it by now. */
export type World = {
  home: Home
  database: Database
  uploads: Uploads
  model: Model
  serial: number
  tally: Tally
}

/**
 * Has as many of the wishes carried out at once as are asked for, and further operations with
 * them. Returns the wishes that are left.
 */
export async function fulfil(
  world: World,
  wishes: readonly Wish[],
  { size, besides = [] }: { size: number; besides?: readonly Operation['kind'][] },
): Promise<Wish[]> {
  const chosen = new Map<Wish, Operation>()
  for (const wish of wishes) {
    if (chosen.size === size) break
    world.serial += 1
    const operation = operationOf(world.model, wish, world.serial)
    if (operation) chosen.set(wish, operation)
  }
  const named = [...chosen].map(([{ kind }, operation]) => ({ kind, operation }))
  const others = besides.map((kind) => ({ kind, operation: { kind, serial: 0 } as Operation }))
  const asked = [...named, ...others]
  const done = await round(
    world,
    asked.map(({ operation }) => operation),
  )
  for (const [index, { isAccepted }] of done.entries()) {
    const counts = isAccepted ? world.tally.accepted : world.tally.refused
    const { kind } = asked[index] ?? { kind: '' }
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return wishes.filter((wish) => !chosen.has(wish))
}

/** Does operations at once and finds out how the server did them. */
async function round(world: World, operations: readonly Operation[]): Promise<Done[]> {
  const { home, model, database, uploads } = world
  const done = await Promise.all(
    operations.map(async (operation) => {
      return { operation, isAccepted: await request(home, operation, uploads) }
    }),
  )
  const { state, ids } = await look(home, database, uploads)
  const after = explained(model, done, state)
  if (!after) throw new Error(`no order explains ${described(model, done, state)}`)
  for (const row of after.rows) {
    if (!row.isDeleted) row.id = ids.get(row.name) ?? row.id
  }
  world.model = after
  return done
}

/** The model after one of the orders that explains what was answered and what is there now. */
function explained(model: Model, done: readonly Done[], state: State): Model | undefined {
  const now = JSON.stringify(state)
  for (const order of orders(done)) {
    const after = structuredClone(model)
    const predicted = order.map(({ operation }) => apply(after, operation))
    const isLike = order.every(({ operation, isAccepted }, index) => {
      // A file may be stored just before all is gone: then its client hears of it no more.
      const isUnheard = operation.kind === 'import' && !isAccepted && after.stage === 'gone'
      return isUnheard || predicted[index] === isAccepted
    })
    if (isLike && JSON.stringify(seen(after)) === now) return after
  }
  return undefined
}

/** Every order in which operations at once may have been done. */
function orders<T>(all: readonly T[]): T[][] {
  if (all.length < 2) return [[...all]]
  return all.flatMap((first, index) =>
    orders(all.toSpliced(index, 1)).map((rest) => [first, ...rest]),
  )
}

const rowsShown = 20

/** What was done, and what there is now, expected in the order given and in fact. */
function described(model: Model, done: readonly Done[], now: State): string {
  const after = structuredClone(model)
  const predicted = done.map(({ operation }) => apply(after, operation))
  const expected = seen(after)
  const unlike = (one: State, other: State) => {
    const same = new Set(other?.rows.map((row) => JSON.stringify(row)))
    const rows = one?.rows.filter((row) => !same.has(JSON.stringify(row)))
    return { ...one, rows: rows?.slice(0, rowsShown) }
  }
  const states = { expected: unlike(expected, now), now: unlike(now, expected) }
  const before = model.rows.filter(({ upload }) => upload === null)
  return JSON.stringify({ done, predicted, ...states, before }, null, 1)
}
