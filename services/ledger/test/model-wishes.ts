import { newId } from '@coffer/kit/id'
import fc from 'fast-check'
import type { Model } from './model.ts'
import type { Body, FileOfRows, Operation } from './model-operation.ts'

/** Files that share rows, and of which some are older than others. */
const files: FileOfRows[] = [
  { rows: { f1: 1000, f2: 2500, f3: -40_000 }, pots: { current: 61_000 }, day: 12 },
  {
    rows: { f2: 2500, f4: 1, f5: 777 },
    pots: { current: 70_000, available: 65_000 },
    day: 11,
    availableDay: 13,
  },
  { rows: { f5: 777, f6: 9900 }, pots: {}, day: 13 },
  { rows: { f1: 1000 }, pots: { available: 50_000 }, day: 12 },
  { rows: { f4: 1, f7: 350 }, pots: { current: 64_000, available: 63_000 }, day: null },
]

/** Batches of a sync, which share items. */
const batches: Record<string, number>[] = [
  { p1: 1200, p2: -7000 },
  { p2: -7000, p3: 99 },
  { p1: 1200, p4: 15_000 },
]

// What an operation is about is chosen among what there is when its turn comes.
const pick = fc.nat({ max: 999 })
const cents = fc.integer({ min: -5000, max: 20_000 }).filter((amount) => amount !== 0)
/** Days before, at and after those of the files. */
const days = fc.integer({ min: 9, max: 14 })
const flag = fc.boolean()
const sum = fc.integer({ min: 1, max: 30_000 })
const body = { amount: cents, day: days, envelope: pick, adjusts: flag, isPending: flag }

function wish<Kind extends string, Fields>(
  kind: Kind,
  fields: { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> },
) {
  return fc.record(fields).map((made) => ({ kind, ...made }))
}

/** What somebody may want to do. */
export const wishes = fc.oneof(
  wish('create', body),
  wish('createMany', { bodies: fc.array(fc.record(body), { minLength: 1, maxLength: 3 }) }),
  wish('open', { isGoal: flag }),
  wish('close', { envelope: pick }),
  wish('fund', {
    lines: fc.array(fc.record({ envelope: pick, amount: sum, ceiling: sum }), { maxLength: 3 }),
  }),
  wish('endPeriod', { envelope: pick, target: sum, carryOver: flag }),
  wish('assign', { row: pick, envelope: pick }),
  wish('amend', { row: pick, amount: cents }),
  wish('move', { row: pick, day: days }),
  wish('delete', { row: pick, adjusts: flag, soft: flag }),
  wish('transfer', { from: pick, to: pick, amount: sum }),
  wish('state', { current: cents, available: cents }),
  wish('import', { file: pick }),
  wish('import', { file: pick }),
  wish('undo', { upload: pick }),
  wish('sync', { batch: pick }),
)
export type Wish = typeof wishes extends fc.Arbitrary<infer T> ? T : never

/** The operation that a wish comes to; null when there is nothing yet that it could be about. */
export function operationOf(model: Model, wish: Wish, serial: number): Operation | null {
  const envelope = (index: number) => among([null, ...Object.keys(model.envelopes)], index) ?? null
  const paying = (one: Wished): Body => ({ ...one, envelope: envelope(one.envelope) })
  const row = (index: number) =>
    among(
      model.rows.flatMap(({ id }) => id ?? []),
      index,
    )
  switch (wish.kind) {
    case 'create':
      return { kind: 'create', serial, ...paying(wish) }
    case 'createMany':
      return { kind: 'createMany', serial, bodies: wish.bodies.map(paying) }
    case 'open':
      return { ...wish, serial, envelope: newId('spnd') }
    case 'close': {
      const id = among(Object.keys(model.envelopes), wish.envelope)
      return id ? { kind: 'close', serial, envelope: id } : null
    }
    case 'fund':
      return { kind: 'fund', serial, lines: linesOf(model, wish.lines) }
    case 'endPeriod': {
      const expenses = Object.keys(model.envelopes).filter((id) => !model.envelopes[id]?.isGoal)
      const id = among(expenses, wish.envelope)
      return id ? { ...wish, serial, envelope: id } : null
    }
    case 'transfer': {
      const [from, to] = [envelope(wish.from), envelope(wish.to)]
      return from === to ? null : { ...wish, serial, from, to }
    }
    case 'state': {
      const { kind, ...pots } = wish
      return { kind, serial, pots }
    }
    case 'import': {
      const file = among(files, wish.file)
      return file ? { kind: 'import', serial, file } : null
    }
    case 'undo': {
      const upload = among(model.uploads, wish.upload)
      return upload === undefined ? null : { kind: 'undo', serial, upload }
    }
    case 'sync': {
      const items = among(batches, wish.batch)
      return items ? { kind: 'sync', serial, items } : null
    }
    case 'assign': {
      const id = row(wish.row)
      return id ? { kind: 'assign', serial, id, envelope: envelope(wish.envelope) } : null
    }
    default: {
      const id = row(wish.row)
      return id ? { ...wish, serial, id } : null
    }
  }
}

type Wished = Omit<Body, 'envelope'> & { envelope: number }

/** A run has one line for an envelope. */
function linesOf(
  model: Model,
  wished: readonly { envelope: number; amount: number; ceiling: number }[],
) {
  const lines = wished.flatMap(({ envelope: index, ...line }) => {
    const envelope = among(Object.keys(model.envelopes), index)
    return envelope ? { ...line, envelope } : []
  })
  return [...new Map(lines.map((line) => [line.envelope, line])).values()]
}

function among<T>(list: readonly T[], index: number): T | undefined {
  return list[index % list.length]
}
