import { newId } from '@coffer/kit/values/id'
import fc from 'fast-check'
import { freeValues } from './model-fields.ts'
import { largeFile } from './model-files.ts'
import {
  among,
  type For,
  generator,
  generatorOn,
  onProviderRow,
  onRow,
  pick,
} from './model-generator.ts'
import type { Body, Fields, Line, ProviderRow } from './model-operation.ts'
import {
  held,
  heldOf,
  isPaid,
  isRefunded,
  liveRows,
  missingOf,
  paidOf,
  posted,
  recordsOf,
  textOf,
} from './model-provider-rows.ts'
import type { Model, Row } from './model-state.ts'

const cents = fc.integer({ min: -5000, max: 20_000 }).filter((amount) => amount !== 0)
/** Generates a day of January, before, between or after the days of the files' balances. */
const day = fc.integer({ min: 9, max: 14 })
const flag = fc.boolean()
const mostly = fc.constantFrom(true, true, true, false)
const sum = fc.integer({ min: 1, max: 30_000 })
const schedule = fc.constantFrom('fund_1', 'fund_2')
const fields = { amount: cents, day, envelope: pick, isPending: flag, ...freeValues }
const body = fc.record({ ...fields, isRefund: mostly, adjusts: flag })
const line = fc.record({ envelope: pick, amount: sum, ceiling: sum })
const lines = fc.array(line, { minLength: 1, maxLength: 3 })
const stated = fc.record({ current: cents, available: cents, limit: cents }, { requiredKeys: [] })
const ending = { target: sum, carryOver: flag, graceDay: fc.option(day) }

/** Batches of provider transactions that a sync imports. Some transactions are in two batches. */
const batches = [
  [posted('p1', 1200), posted('p2', -7000)],
  [posted('p2', -7000), posted('p3', 99)],
  [posted('p1', 1200), posted('p4', 15_000)],
]

const onExpense = { each: onExpenseOf('each'), manual: onExpenseOf('manual') }
const onDeleted = (isChosen: (row: Row, model: Model) => boolean) => {
  return onRow('manual', (row, model) => row.isDeleted && isChosen(row, model))
}

/** Generators of random requests, by kind of request. */
export const kinds = {
  create: generator('manual', { body }, ({ body }, model) => {
    return { kind: 'create', ...paying(model, body) }
  }),
  createMany: generator(
    'manual',
    { bodies: fc.array(body, { minLength: 1, maxLength: 3 }) },
    ({ bodies }, model) => {
      return { kind: 'createMany', bodies: bodies.map((one) => paying(model, one)) }
    },
  ),
  open: generator('each', { isGoal: flag }, ({ isGoal }) => {
    return { kind: 'open', envelope: newId('spnd'), isGoal }
  }),
  close: generatorOn('each', ({ envelopes }) => Object.keys(envelopes))({}, (envelope) => {
    return { kind: 'close', envelope }
  }),
  fund: generator('each', { lines }, ({ lines }, model) => {
    return { kind: 'fund', lines: linesOf(model, lines), deposit: null }
  }),
  deposit: generator('manual', { lines, schedule, amount: sum, day }, (made, model) => {
    const { lines: generated, ...deposit } = made
    return { kind: 'fund', lines: linesOf(model, generated), deposit }
  }),
  endPeriod: onExpense.each(ending, (envelope, made, _model, serial) => {
    return { kind: 'endPeriod', envelope, ...endingOf(made, serial), bill: null }
  }),
  endWithGrace: generatorOn('each', ({ envelopes }) => {
    return Object.entries(envelopes).filter(([, one]) => !one.isGoal && one.current > 1)
  })({ day }, ([envelope, { spent, current }], { day }, _model, serial) => {
    const target = Math.max(0, spent) + Math.ceil(current / 2)
    const until = { day, serial }
    return { kind: 'endPeriod', envelope, target, carryOver: false, bill: null, until }
  }),
  payInGrace: onRow('each', ({ isDeleted, amount }) => !isDeleted && amount > 0)(
    { envelope: pick },
    (id, made, { envelopes }) => {
      const running = Object.keys(envelopes).filter((name) => envelopes[name]?.grace)
      const envelope = among(running, made.envelope)
      return envelope === null ? null : { kind: 'change', id, fields: { envelope } }
    },
  ),
  endGrace: generatorOn('each', ({ envelopes }) => {
    return Object.entries(envelopes).filter(([, { grace }]) => grace !== null)
  })({ carryOver: flag }, ([envelope, { grace }], { carryOver }) => {
    return grace && { kind: 'endGrace', envelope, until: grace.until, carryOver }
  }),
  skip: onExpense.each({}, (envelope) => ({ kind: 'skip', envelope })),
  endSpent: generatorOn('each', ({ envelopes }) => {
    return Object.entries(envelopes).filter(([, one]) => {
      return !one.isGoal && one.spent > 0 && one.current > 1
    })
  })({}, ([envelope, { spent }]) => {
    const target = spent + 1
    return { kind: 'endPeriod', envelope, target, carryOver: false, bill: null, until: null }
  }),
  bill: onExpense.manual({ ...ending, day }, (envelope, { day, ...made }, _model, serial) => {
    return { kind: 'endPeriod', envelope, ...endingOf(made, serial), bill: { day } }
  }),
  forget: generatorOn('manual', ({ rows }) => rows.flatMap((row) => row.schedule ?? []))(
    {},
    (schedule) => ({ kind: 'forget', schedule }),
  ),
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
  assign: onRow('each')({ envelope: pick }, (id, { envelope }, model) => {
    return { kind: 'change', id, fields: { envelope: envelopeOf(model, envelope) } }
  }),
  pay: onRow('each', ({ envelope, amount, isDeleted }) => {
    return envelope === null && amount > 0 && !isDeleted
  })({ envelope: pick }, (id, made, { envelopes }) => {
    const filled = Object.keys(envelopes).filter((name) => (envelopes[name]?.current ?? 0) > 0)
    const envelope = among(filled, made.envelope)
    return envelope === null ? null : { kind: 'change', id, fields: { envelope } }
  }),
  refund: onRow('each', ({ isRefund, amount, isDeleted }) => {
    return !isRefund && amount < 0 && !isDeleted
  })({ envelope: pick }, (id, made, { envelopes }) => {
    const paying = Object.keys(envelopes).filter((name) => (envelopes[name]?.net ?? 0) > 0)
    const envelope = among(paying, made.envelope)
    if (envelope === null) return null
    return { kind: 'change', id, fields: { envelope, isRefund: true } }
  }),
  endRefund: onRow('each', ({ isRefund }) => isRefund)({}, (id) => {
    return { kind: 'change', id, fields: { envelope: null, isRefund: true } }
  }),
  deleteRefund: onRow('manual', isRefunded)({ soft: mostly }, (id, made) => {
    return { kind: 'delete', id, adjusts: true, ...made }
  }),
  rename: onRow('each')({}, (id, _made, _model, serial) => {
    return { kind: 'change', id, fields: { name: `n${serial}` } }
  }),
  ...changes('manual', { amount: cents, day, isPending: flag }),
  ...changes('each', freeValues),
  delete: onRow('manual')({ adjusts: flag, soft: flag }, (id, made) => {
    return { kind: 'delete', id, ...made }
  }),
  deletePaid: onRow('manual', isPaid)({ adjusts: flag, soft: mostly }, (id, made) => {
    return { kind: 'delete', id, ...made }
  }),
  correct: onRow('manual')({ amount: cents, isPending: flag }, (id, made) => {
    return { kind: 'correct', id, ...made }
  }),
  restore: onDeleted(() => true)({}, restoration),
  restoreKept: onDeleted(({ taken, isReturned }) => taken > 0 && !isReturned)({}, restoration),
  restorePaid: onDeleted(({ isReturned, amount, envelope }, { envelopes }) => {
    return isReturned && amount > 0 && (envelopes[envelope ?? '']?.current ?? 0) > 0
  })({}, restoration),
  state: generator(
    'manual',
    { pots: fc.record({ current: cents, available: cents }), limit: fc.option(cents) },
    ({ pots, limit }) => ({ kind: 'changeAccount', fields: { ...pots, limit } }),
  ),
  nameAccount: generator('each', {}, (_made, _model, serial) => {
    return { kind: 'changeAccount', fields: { name: `Account ${serial}` } }
  }),
  describe: generator(
    'manual',
    {
      mask: fc.constantFrom(null, '0042', '42'),
      accountType: fc.constantFrom('depository', 'credit'),
    },
    (fields) => ({ kind: 'changeAccount', fields }),
  ),
  import: generator('manual', { file: fc.nat({ max: largeFile - 1 }) }, ({ file }) => {
    return { kind: 'import', file }
  }),
  importLarge: generator('manual', {}, () => ({ kind: 'import', file: largeFile })),
  undo: generatorOn('manual', ({ uploads }) => uploads)({}, (upload) => ({ kind: 'undo', upload })),
  undoPaid: generatorOn('manual', ({ rows }) => {
    return rows.filter(isPaid).flatMap(({ upload }) => upload ?? [])
  })({}, (upload) => ({ kind: 'undo', upload })),
  sync: generatorOn('synced', () => batches)({}, (providerRows) => ({
    kind: 'sync',
    providerRows,
  })),
  hold: generator('synced', { amount: cents }, ({ amount }, _model, serial) => {
    return synced({ ...held(`h${serial}`, amount), text: textOf(serial) })
  }),
  post: onProviderRow(heldOf)({ amount: cents }, ({ id }, { amount }, _model, serial) => {
    return synced({ ...posted(`q${serial}`, amount), pendingOf: id })
  }),
  postUnnamed: onProviderRow(heldOf)({}, (providerRow, _made, _model, serial) => {
    return synced({ ...providerRow, id: `q${serial}`, isPending: false })
  }),
  postFirst: generator('synced', { amount: cents }, ({ amount }, _model, serial) => {
    return synced({ ...posted(`q${serial}`, amount), pendingOf: `h${serial}` })
  }),
  holdLate: generatorOn('synced', ({ rows }) => rows.flatMap(missingOf))({}, (id) => {
    return synced({ ...held(id, 5), text: 'late' })
  }),
  modify: onProviderRow(recordsOf)({ amount: cents }, (providerRow, made) =>
    synced({ ...providerRow, ...made }),
  ),
  modifyPaid: onProviderRow(paidOf)({ amount: sum }, (providerRow, made) =>
    synced({ ...providerRow, ...made }),
  ),
  modifyRefund: onProviderRow((row) => (isRefunded(row) ? liveRows(row) : []))(
    { amount: sum },
    (providerRow, { amount }) => synced({ ...providerRow, amount: -amount }),
  ),
  withdraw: onProviderRow(liveRows)({}, ({ id }) => ({ kind: 'withdraw', ids: [id, 'unknown'] })),
  withdrawPaid: onProviderRow(paidOf)({}, ({ id }) => ({ kind: 'withdraw', ids: [id] })),
  bringBack: onProviderRow((row) => (row.isDeleted ? recordsOf(row) : []))({}, synced),
  bringBackPaid: onProviderRow((row) => {
    return row.isDeleted && row.envelope !== null ? recordsOf(row) : []
  })({}, synced),
  setBalances: generator('synced', { stated }, (made) => ({ kind: 'setBalances', ...made })),
  refresh: generator('synced', { stated }, (made, _model, serial) => {
    return { kind: 'refresh', ...made, originalName: `BANK ${serial}` }
  }),
}

export type GeneratorKind = keyof typeof kinds

/** Returns for each field a generator of requests that change only this field of a transaction. */
function changes<Name extends keyof Fields>(
  isFor: For,
  values: { [One in Name]: fc.Arbitrary<Fields[One]> },
) {
  const made = Object.entries<fc.Arbitrary<unknown>>(values).map(([name, value]) => {
    const one = onRow(isFor)({ value }, (id, { value }) => {
      return { kind: 'change', id, fields: { [name]: value } }
    })
    return [`change ${name}`, one]
  })
  return Object.fromEntries(made) as Record<`change ${Name}`, ReturnType<typeof generator>>
}

function onExpenseOf(isFor: For) {
  return generatorOn(isFor, ({ envelopes }) => {
    return Object.keys(envelopes).filter((id) => !envelopes[id]?.isGoal)
  })
}

function endingOf<Made extends { graceDay: number | null }>(
  { graceDay, ...made }: Made,
  serial: number,
) {
  return { ...made, until: graceDay === null ? null : { day: graceDay, serial } }
}

function restoration(id: string) {
  return { kind: 'restore', id } as const
}

function synced(providerRow: ProviderRow) {
  return { kind: 'sync' as const, providerRows: [providerRow] }
}

function paying(model: Model, one: Omit<Body, 'envelope'> & { envelope: number }): Body {
  const envelope = envelopeOf(model, one.envelope)
  return { ...one, envelope, isRefund: one.isRefund && one.amount < 0 }
}

function envelopeOf({ envelopes }: Model, index: number): string | null {
  return among([null, ...Object.keys(envelopes)], index)
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
