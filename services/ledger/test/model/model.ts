import {
  emptyEnvelope,
  endGrace,
  endPeriod,
  fund,
  giveBack,
  redate,
  take,
} from './model-envelope.ts'
import { importFile, undo } from './model-file.ts'
import type { Body, Fields, Kind, Of, Operation, Pots } from './model-operation.ts'
import { type Model, newRow, type Row } from './model-state.ts'
import { setBalances, sync, withdraw } from './model-sync.ts'

/** Operations that the server accepts only for bank accounts on a manual link. */
const manualOnly: ReadonlySet<Kind> = new Set<Kind>([
  'create',
  'createMany',
  'delete',
  'restore',
  'correct',
  'import',
  'undo',
  'archive',
])

/** Fields that a user may change on a manual link only. */
const manualFields = {
  transaction: ['amount', 'day', 'isPending'],
  account: ['current', 'available', 'limit', 'mask', 'accountType'],
}

/** Operations of a sync, which the server accepts only for bank accounts on a synced link. */
const syncedOnly: ReadonlySet<Kind> = new Set<Kind>(['sync', 'withdraw', 'setBalances', 'refresh'])

/** Operations that an archived bank account accepts. */
const allowedArchived: ReadonlySet<Kind> = new Set<Kind>([
  'forget',
  'undo',
  'deleteLink',
  'deleteAccount',
])

/** Day of a balance that a user states: later than the balances of every file. */
const userStatedDay = Number.MAX_SAFE_INTEGER

const rules: { [One in Kind]: (model: Model, of: Of<One>) => boolean } = {
  create: (model, of) => create(model, `t${of.serial}`, of),
  createMany: (model, { serial, bodies }) => {
    for (const [index, body] of bodies.entries()) create(model, `t${serial}.${index}`, body)
    return true
  },
  open: ({ envelopes }, { envelope, isGoal }) => {
    envelopes[envelope] ??= emptyEnvelope(isGoal)
    return true
  },
  close,
  fund: (model, of) => {
    if (of.deposit) {
      const { amount, day, schedule } = of.deposit
      const row = { key: `d${of.serial}`, name: `d${of.serial}`, amount: -amount, day, schedule }
      book(model, newRow(row))
    }
    return fund(model.envelopes, of)
  },
  endPeriod: (model, of) => {
    const { envelope, target: amount, carryOver, bill, serial } = of
    endGrace(model.envelopes[envelope], carryOver)
    if (bill && model.envelopes[envelope]) {
      book(
        model,
        newRow({ key: `b${serial}`, name: `b${serial}`, amount, day: bill.day, envelope }),
      )
    }
    return endPeriod(model.envelopes, of)
  },
  endGrace: ({ envelopes }, { envelope: id, until, carryOver }) => {
    const envelope = envelopes[id]
    if (envelope?.grace?.until.serial === until.serial) endGrace(envelope, carryOver)
    return true
  },
  skip: ({ envelopes }, { envelope }) => envelopes[envelope] !== undefined,
  forget: ({ rows }, { schedule }) => {
    for (const row of rows) if (row.schedule === schedule) row.schedule = null
    return true
  },
  change,
  delete: remove,
  restore,
  correct,
  transfer,
  changeAccount,
  import: importFile,
  undo,
  sync,
  withdraw,
  setBalances: (model, { stated }) => setBalances(model, stated),
  refresh: (model, { stated, originalName }) => {
    model.account.originalName = originalName
    return setBalances(model, stated)
  },
  archive: (model) => {
    model.stage = 'archived'
    return true
  },
  deleteLink: end,
  deleteAccount: end,
}

/** Applies an operation. Returns false, without a change, if the server must refuse it. */
export function apply(model: Model, operation: Operation): boolean {
  const { kind } = operation
  if (model.stage === 'removed') return kind === 'forget' || kind === 'deleteAccount'
  if ((model.isManual ? syncedOnly : manualOnly).has(kind)) return false
  if (model.stage === 'archived' && !allowedArchived.has(kind)) return false
  // Cast: TypeScript cannot infer that the rule of this kind accepts the operation.
  const rule = rules[kind] as (model: Model, of: Operation) => boolean
  return rule(model, operation)
}

function create(model: Model, name: string, body: Body): boolean {
  const { adjusts, ...fields } = body
  const row = newRow({ key: name, name, ...fields })
  if (!isAssignable(model, row)) return false
  row.isRefund &&= row.envelope !== null
  pay(model, row)
  model.rows.push(row)
  if (adjusts) addPots(model, row, potsOf(row))
  return true
}

/** Adds an automatic transaction, which a funding schedule or a due expense creates. */
function book(model: Model, row: Row): void {
  take(model.envelopes, row)
  model.rows.push(row)
  addPots(model, row, potsOf(row))
}

/**
 * Returns whether the server accepts the envelope of a transaction: null for every transaction, an
 * open envelope named as that of a refund if the transaction is a deposit, as payer otherwise.
 */
function isAssignable(
  model: Model,
  { amount, envelope, isRefund }: Pick<Row, 'amount' | 'envelope' | 'isRefund'>,
) {
  if (envelope === null) return true
  return isRefund === amount < 0 && model.envelopes[envelope] !== undefined
}

function pay(model: Model, row: Row): void {
  take(model.envelopes, row)
  if (row.refunded > 0 && row.refunded < -row.amount) model.paths.push('refunded in part')
  const grace = model.envelopes[row.envelope ?? '']?.grace
  if (grace && row.taken > 0) {
    model.paths.push(row.day > grace.until.day ? 'paid after a grace' : 'paid in a grace')
  }
}

function close(model: Model, { envelope }: Of<'close'>): boolean {
  delete model.envelopes[envelope]
  for (const row of model.rows.filter((one) => one.envelope === envelope)) {
    Object.assign(row, { envelope: null, taken: 0, isRefund: false, refunded: 0 })
  }
  return true
}

function change(model: Model, { id, fields }: Of<'change'>): boolean {
  if (!model.isManual && manualFields.transaction.some((name) => name in fields)) return false
  const index = model.rows.findIndex((row) => row.id === id && !row.isDeleted)
  const row = model.rows[index]
  if (!row) return false
  const after = { ...row, ...fields, ...namedAfter(row, fields) }
  if (!isAssignable(model, after)) return false
  model.rows[index] = after
  for (const event of model.history) {
    if (event.kind === 'added' && event.of === row.key) event.day = after.day
  }
  if (after.amount === row.amount && after.envelope === row.envelope) {
    redate(model.envelopes, row, after.day)
    return true
  }
  giveBack(model.envelopes, row)
  pay(model, after)
  return true
}

/** Returns the envelope after a change, which names it as payer or as that of a refund. */
function namedAfter(row: Row, { envelope, isRefund = false }: Partial<Fields>) {
  const { envelope: former, isRefund: wasRefund } = row
  if (envelope === undefined) return { envelope: former, isRefund: wasRefund }
  if (envelope !== null || isRefund === wasRefund) {
    return { envelope, isRefund: isRefund && envelope !== null }
  }
  return { envelope: former, isRefund: wasRefund }
}

function correct(model: Model, { id, serial, ...given }: Of<'correct'>): boolean {
  const fields = { amount: given.amount, isPending: given.isPending }
  if (!change(model, { kind: 'change', id, serial, fields })) return false
  const row = model.rows.find((one) => one.id === id)
  const booked = row && bookedOf(model, row)
  if (row && booked && isMoving(booked)) {
    const { available, current } = potsOf(row)
    const missing = { available: available - booked.available, current: current - booked.current }
    addPots(model, row, missing)
  }
  return true
}

function changeAccount(model: Model, { fields }: Of<'changeAccount'>): boolean {
  if (!model.isManual && manualFields.account.some((name) => name in fields)) return false
  const { current, available, ...texts } = fields
  const limit = texts.limit === undefined ? model.account.limit : (texts.limit ?? 0)
  if (limit < 0 || (texts.mask && texts.mask.length !== 4)) return false
  Object.assign(model.account, { ...texts, limit })
  if (current !== undefined && available !== undefined) {
    const pots = { current, available }
    model.history.push({ kind: 'stated', pots, asOf: userStatedDay, upload: null })
  }
  return true
}

function remove(model: Model, { id, adjusts, soft }: Of<'delete'>): boolean {
  const row = model.rows.find((one) => one.id === id)
  if (!row) return false
  if (!row.isDeleted && adjusts) {
    const booked = bookedOf(model, row)
    row.returned = isMoving(booked) ? negated(booked) : negated(potsOf(row))
    addPots(model, row, row.returned)
    if (row.taken > 0) model.paths.push('deleted from an envelope')
    if (row.refunded > 0) model.paths.push('refund reversed')
    giveBack(model.envelopes, row)
    row.isReturned = true
  }
  row.isDeleted = true
  if (!soft) model.rows.splice(model.rows.indexOf(row), 1)
  return true
}

function restore(model: Model, { id }: Of<'restore'>): boolean {
  const row = model.rows.find((one) => one.id === id)
  if (!row?.isDeleted) return row !== undefined
  if (row.isReturned) {
    addPots(model, row, negated(row.returned))
    take(model.envelopes, row)
  }
  if (row.taken > 0) {
    model.paths.push(row.isReturned ? 'restored to an envelope' : 'restored as kept')
  }
  row.isDeleted = false
  row.isReturned = false
  return true
}

function transfer(model: Model, { from, to, amount }: Of<'transfer'>): boolean {
  if (from === to) return false
  if ([from, to].some((side) => side !== null && !model.envelopes[side])) return false
  const source = from === null ? null : model.envelopes[from]
  const destination = to === null ? null : model.envelopes[to]
  if (source && source.current < amount) return false
  if (source) source.current -= amount
  if (destination) destination.current += amount
  return true
}

function end(model: Model): boolean {
  model.stage = 'removed'
  return true
}

/** Returns what a transaction books when it adjusts the balances. */
function potsOf({ amount, isPending }: Row): Required<Pots> {
  return { available: -amount, current: isPending ? 0 : -amount }
}

/** Returns the sums of what a transaction has booked. */
function bookedOf({ history }: Model, { key }: Row): Required<Pots> {
  const own = history.flatMap((one) => (one.kind === 'added' && one.of === key ? one.pots : []))
  const sum = (pot: keyof Pots) => own.reduce((total, pots) => total + (pots[pot] ?? 0), 0)
  return { available: sum('available'), current: sum('current') }
}

function isMoving({ available, current }: Required<Pots>): boolean {
  return available !== 0 || current !== 0
}

function negated({ available = 0, current = 0 }: Pots): Required<Pots> {
  return { available: -available, current: -current }
}

function addPots(model: Model, { day, key }: Row, pots: Pots): void {
  model.history.push({ kind: 'added', pots, day, of: key })
}
