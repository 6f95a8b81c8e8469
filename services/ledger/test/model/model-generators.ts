import { newId } from '@coffer/kit/values/id'
import fc from 'fast-check'
import { largeFile } from './model-files.ts'
import { among, generator, idsOf, pick, restoration, rowGenerator } from './model-generator.ts'
import type { Body, Item, Line } from './model-operation.ts'
import type { Model, ProviderRecord, Row } from './model-state.ts'
import { liveOf } from './model-sync.ts'

const cents = fc.integer({ min: -5000, max: 20_000 }).filter((amount) => amount !== 0)
/** Generates a day of January, before, between or after the days of the files' balances. */
const day = fc.integer({ min: 9, max: 14 })
const flag = fc.boolean()
const mostly = fc.constantFrom(true, true, true, false)
const sum = fc.integer({ min: 1, max: 30_000 })
const schedule = fc.constantFrom('fund_1', 'fund_2')
const body = { amount: cents, day, envelope: pick, adjusts: flag, isPending: flag }
const line = fc.record({ envelope: pick, amount: sum, ceiling: sum })
const lines = fc.array(line, { minLength: 1, maxLength: 3 })
const stated = fc.record({ current: cents, available: cents, limit: cents }, { requiredKeys: [] })

/** Batches of provider transactions that a sync imports. Some transactions are in two batches. */
const batches = [
  [posted('p1', 1200), posted('p2', -7000)],
  [posted('p2', -7000), posted('p3', 99)],
  [posted('p1', 1200), posted('p4', 15_000)],
]

/** Generators of random requests, by kind of request. */
export const kinds = {
  create: generator('manual', body, (made, model) => ({ kind: 'create', ...paying(model, made) })),
  createMany: generator(
    'manual',
    { bodies: fc.array(fc.record(body), { minLength: 1, maxLength: 3 }) },
    ({ bodies }, model) => {
      return { kind: 'createMany', bodies: bodies.map((one) => paying(model, one)) }
    },
  ),
  open: generator('each', { isGoal: flag }, ({ isGoal }) => {
    return { kind: 'open', envelope: newId('spnd'), isGoal }
  }),
  close: generator('each', { envelope: pick }, (made, model) => {
    const envelope = among(Object.keys(model.envelopes), made.envelope)
    return envelope === null ? null : { kind: 'close', envelope }
  }),
  fund: generator('each', { lines }, (made, model) => {
    return { kind: 'fund', lines: linesOf(model, made.lines), deposit: null }
  }),
  deposit: generator('manual', { lines, schedule, amount: sum, day }, (made, model) => {
    const { lines: generated, ...deposit } = made
    return { kind: 'fund', lines: linesOf(model, generated), deposit }
  }),
  endPeriod: generator('each', { envelope: pick, target: sum, carryOver: flag }, (made, model) => {
    const envelope = among(expensesOf(model), made.envelope)
    return envelope === null ? null : { ...made, kind: 'endPeriod', envelope, bill: null }
  }),
  bill: generator(
    'manual',
    { envelope: pick, target: sum, carryOver: flag, day },
    (made, model) => {
      const envelope = among(expensesOf(model), made.envelope)
      const { target, carryOver, day } = made
      if (envelope === null) return null
      return { kind: 'endPeriod', envelope, target, carryOver, bill: { day } }
    },
  ),
  forget: generator('manual', { made: pick }, ({ made }, { rows }) => {
    const found = among(
      rows.flatMap((row) => row.schedule ?? []),
      made,
    )
    return found === null ? null : { kind: 'forget', schedule: found }
  }),
  transfer: generator(
    'each',
    { from: pick, to: pick, amount: sum },
    ({ amount, ...made }, model) => {
      const from = envelopeOf(model, made.from)
      const others = [null, ...Object.keys(model.envelopes)].filter((side) => side !== from)
      const to = among(others, made.to)
      return from === to ? null : { kind: 'transfer', from, to, amount }
    },
  ),
  assign: rowGenerator('each', { envelope: pick }, ({ envelope }, model) => {
    return { kind: 'assign', envelope: envelopeOf(model, envelope) }
  }),
  pay: generator('each', { row: pick, envelope: pick }, (made, { rows, envelopes }) => {
    const unpaid = rows.filter((row) => row.envelope === null && row.amount > 0 && !row.isDeleted)
    const id = among(idsOf(unpaid), made.row)
    const filled = Object.keys(envelopes).filter((name) => (envelopes[name]?.current ?? 0) > 0)
    const envelope = among(filled, made.envelope)
    return id && envelope ? { kind: 'assign', id, envelope } : null
  }),
  rename: rowGenerator('each', {}, (_made, _model, serial) => ({
    kind: 'rename',
    name: `n${serial}`,
  })),
  note: rowGenerator('each', { notes: fc.constantFrom('For Kim', null) }, ({ notes }) => {
    return { kind: 'note', notes }
  }),
  amend: rowGenerator('manual', { amount: cents }, ({ amount }) => ({ kind: 'amend', amount })),
  move: rowGenerator('manual', { day }, (made) => ({ kind: 'move', ...made })),
  mark: rowGenerator('manual', { isPending: flag }, ({ isPending }) => ({
    kind: 'mark',
    isPending,
  })),
  delete: rowGenerator('manual', { adjusts: flag, soft: flag }, (made) => ({
    kind: 'delete',
    ...made,
  })),
  deletePaid: generator('manual', { row: pick, adjusts: flag, soft: mostly }, (made, { rows }) => {
    const { row, ...how } = made
    const id = among(idsOf(rows.filter(isPaid)), row)
    return id === null ? null : { kind: 'delete', id, ...how }
  }),
  restore: generator('manual', { row: pick }, ({ row }, { rows }) => restoration(rows, row)),
  restoreKept: generator('manual', { row: pick }, ({ row }, { rows }) => {
    return restoration(
      rows.filter(({ taken, isReturned }) => taken > 0 && !isReturned),
      row,
    )
  }),
  restorePaid: generator('manual', { row: pick }, ({ row }, { rows, envelopes }) => {
    const isPayable = ({ envelope }: Row) => (envelopes[envelope ?? '']?.current ?? 0) > 0
    return restoration(
      rows.filter((one) => one.isReturned && one.amount > 0 && isPayable(one)),
      row,
    )
  }),
  state: generator(
    'manual',
    { pots: fc.record({ current: cents, available: cents }), limit: fc.option(cents) },
    (made) => ({ kind: 'state', ...made }),
  ),
  nameAccount: generator('each', {}, (_made, _model, serial) => {
    return { kind: 'nameAccount', name: `Account ${serial}` }
  }),
  describe: generator(
    'manual',
    {
      mask: fc.constantFrom(null, '0042', '42'),
      accountType: fc.constantFrom('depository', 'credit'),
    },
    (made) => ({ kind: 'describe', ...made }),
  ),
  import: generator('manual', { file: fc.nat({ max: largeFile - 1 }) }, ({ file }) => {
    return { kind: 'import', file }
  }),
  importLarge: generator('manual', {}, () => ({ kind: 'import', file: largeFile })),
  undo: generator('manual', { upload: pick }, (made, { uploads }) => {
    const upload = among(uploads, made.upload)
    return upload === null ? null : { kind: 'undo', upload }
  }),
  undoPaid: generator('manual', { made: pick }, ({ made }, { rows }) => {
    const upload = among(
      rows.filter(isPaid).flatMap((row) => row.upload ?? []),
      made,
    )
    return upload === null ? null : { kind: 'undo', upload }
  }),
  sync: generator('synced', { batch: pick }, ({ batch }) => {
    return { kind: 'sync', items: among(batches, batch) ?? [] }
  }),
  hold: generator('synced', { amount: cents }, ({ amount }, _model, serial) => {
    const item = { id: `h${serial}`, amount, isPending: true, pendingOf: null }
    return { kind: 'sync', items: [{ ...item, text: textOf(serial) }] }
  }),
  post: generator('synced', { hold: pick, amount: cents }, ({ hold, amount }, { rows }, serial) => {
    const held = among(rows.flatMap(heldOf), hold)
    const items = held && [{ ...posted(`q${serial}`, amount), pendingOf: held.id }]
    return items && { kind: 'sync', items }
  }),
  postUnnamed: generator('synced', { hold: pick }, ({ hold }, { rows }, serial) => {
    const held = among(rows.toReversed().flatMap(heldOf), hold)
    const items = held && [{ ...held, id: `q${serial}`, isPending: false }]
    return items && { kind: 'sync', items }
  }),
  postFirst: generator('synced', { amount: cents }, ({ amount }, _model, serial) => {
    const item = { ...posted(`q${serial}`, amount), pendingOf: `h${serial}` }
    return { kind: 'sync', items: [item] }
  }),
  holdLate: generator('synced', { posted: pick }, (made, { rows }) => {
    const named = among(rows.flatMap(missingOf), made.posted)
    if (named === null) return null
    const item = { id: named, amount: 5, isPending: true, pendingOf: null }
    return { kind: 'sync', items: [{ ...item, text: 'late' }] }
  }),
  modify: generator('synced', { record: pick, amount: cents }, ({ record, amount }, { rows }) => {
    const known = among(rows.flatMap(recordsOf), record)
    return known && { kind: 'sync', items: [{ ...known, amount }] }
  }),
  modifyPaid: generator('synced', { record: pick, amount: sum }, ({ record, amount }, { rows }) => {
    const known = among(rows.filter(isPaid).flatMap(liveItems), record)
    return known && { kind: 'sync', items: [{ ...known, amount }] }
  }),
  withdraw: generator('synced', { record: pick }, ({ record }, { rows }) => {
    const known = among(rows.flatMap(liveItems), record)
    return known && { kind: 'withdraw', ids: [known.id, 'unknown'] }
  }),
  withdrawPaid: generator('synced', { record: pick }, ({ record }, { rows }) => {
    const known = among(rows.filter(isPaid).flatMap(liveItems), record)
    return known && { kind: 'withdraw', ids: [known.id] }
  }),
  bringBack: generator('synced', { record: pick }, ({ record }, { rows }) => {
    const gone = rows.filter(({ isDeleted }) => isDeleted)
    const known = among(gone.flatMap(recordsOf), record)
    return known && { kind: 'sync', items: [known] }
  }),
  bringBackPaid: generator('synced', { record: pick }, ({ record }, { rows }) => {
    const gone = rows.filter((row) => row.isDeleted && row.envelope !== null)
    const known = among(gone.flatMap(recordsOf), record)
    return known && { kind: 'sync', items: [known] }
  }),
  setBalances: generator('synced', { stated }, (made) => ({ kind: 'setBalances', ...made })),
  refresh: generator('synced', { stated }, (made, _model, serial) => {
    return { kind: 'refresh', ...made, originalName: `BANK ${serial}` }
  }),
}

export type GeneratorKind = keyof typeof kinds

function paying(model: Model, one: Omit<Body, 'envelope'> & { envelope: number }): Body {
  return { ...one, envelope: envelopeOf(model, one.envelope) }
}

function envelopeOf({ envelopes }: Model, index: number): string | null {
  return among([null, ...Object.keys(envelopes)], index)
}

function expensesOf({ envelopes }: Model): string[] {
  return Object.keys(envelopes).filter((id) => !envelopes[id]?.isGoal)
}

/**
 * Returns the lines of a funding run. Of several generated lines for one envelope it keeps the
 * last.
 */
function linesOf(
  { envelopes }: Model,
  generated: readonly { envelope: number; amount: number; ceiling: number }[],
): Line[] {
  const found = generated.flatMap(({ envelope: index, ...rest }) => {
    const envelope = among(Object.keys(envelopes), index)
    return envelope === null ? [] : [{ ...rest, envelope }]
  })
  return [...new Map(found.map((one) => [one.envelope, one])).values()]
}

function posted(id: string, amount: number): Item {
  return { id, amount, isPending: false, pendingOf: null, text: 'shop' }
}

/**
 * Returns a list of the transaction's live record (`end` is null) if it is pending, else an empty
 * list.
 */
function heldOf(row: Row): Item[] {
  return liveItems(row).filter(({ isPending }) => isPending)
}

function liveItems(row: Row): Item[] {
  const live = liveOf(row)
  return live ? [itemOf(live)] : []
}

/** Returns whether the transaction is not deleted and took money from an envelope. */
function isPaid({ taken, isDeleted }: Row): boolean {
  return taken > 0 && !isDeleted
}

/**
 * Returns the IDs of pending transactions that the provider's posted ones replace, and that no sync
 * has imported.
 */
function missingOf({ records }: Row): string[] {
  const named = records.flatMap(({ pendingOf }) => pendingOf ?? [])
  return named.filter((id) => !records.some((one) => one.id === id))
}

function recordsOf({ records }: Row): Item[] {
  return records.map(itemOf)
}

function itemOf({ end, ...item }: ProviderRecord): Item {
  return item
}

/**
 * Returns a text that is unique for `serial`, in letters: the ledger ignores digits when it
 * compares the texts of provider transactions.
 */
function textOf(serial: number): string {
  const letters = [...`${serial}`.padStart(4, '0')].map((digit) => 'abcdefghij'[Number(digit)])
  return `hold ${letters.join('')}`
}
