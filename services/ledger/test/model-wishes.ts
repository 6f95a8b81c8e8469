import fc from 'fast-check'
import type { FileOfRows, Model, Operation } from './model.ts'

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

// What an operation is about is chosen among what there is when its turn comes.
const pick = fc.nat({ max: 999 })
const cents = fc.integer({ min: -5000, max: 20_000 }).filter((amount) => amount !== 0)
/** Days before, at and after those of the files. */
const days = fc.integer({ min: 9, max: 14 })
const flag = fc.boolean()

function wish<Kind extends string, Fields>(
  kind: Kind,
  fields: { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> },
) {
  return fc.record(fields).map((made) => ({ kind, ...made }))
}

/** What somebody may want to do. */
export const wishes = fc.oneof(
  wish('create', { amount: cents, day: days, envelope: pick, adjusts: flag, isPending: flag }),
  wish('assign', { row: pick, envelope: pick }),
  wish('amend', { row: pick, amount: cents }),
  wish('move', { row: pick, day: days }),
  wish('delete', { row: pick, adjusts: flag, soft: flag }),
  wish('transfer', { from: pick, to: pick, amount: fc.integer({ min: 1, max: 30_000 }) }),
  wish('state', { current: cents, available: cents }),
  wish('import', { file: pick }),
  wish('import', { file: pick }),
  wish('undo', { upload: pick }),
)
export type Wish = typeof wishes extends fc.Arbitrary<infer T> ? T : never

/** The operation that a wish comes to; null when there is nothing yet that it could be about. */
export function operationOf(model: Model, wish: Wish, serial: number): Operation | null {
  const envelope = (index: number) => among([null, ...Object.keys(model.envelopes)], index) ?? null
  const row = (index: number) =>
    among(
      model.rows.flatMap(({ id }) => id ?? []),
      index,
    )
  switch (wish.kind) {
    case 'create':
      return { ...wish, serial, envelope: envelope(wish.envelope) }
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

function among<T>(list: readonly T[], index: number): T | undefined {
  return list[index % list.length]
}
