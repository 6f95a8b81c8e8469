import { type Envelope, emptyEnvelope, endPeriod, fund, giveBack, take } from './model-envelope.ts'
import type { Body, Operation, Pots } from './model-operation.ts'

/** What a test believes of one bank account: amounts in cents, everything by value. */
export type Model = {
  /** Of a link that a user keeps by hand, or else of one that is synced. */
  isManual: boolean
  envelopes: Record<string, Envelope>
  rows: Row[]
  history: Event[]
  /** Imports by the serial number of their operation. */
  uploads: number[]
  undone: number[]
}

type Row = {
  /** Null until the server has been asked. */
  id: string | null
  /** Tells it from a row of the same name that came before. */
  key: string
  /** Of January. */
  day: number
  name: string
  amount: number
  envelope: string | null
  taken: number
  isPending: boolean
  isDeleted: boolean
  upload: number | null
}

/** A balance is what was stated last, by whom nobody has undone, and what was added since. */
type Event =
  | { kind: 'stated'; pots: Pots; asOf: number; upload: number | null }
  | { kind: 'added'; pots: Pots; day: number; of: string }

/** The day of the rows of every file. */
const dayOfRows = 10

const byHand = Number.MAX_SAFE_INTEGER

/** A bank account as it is opened, with these empty envelopes. */
export function openModel(
  pots: Required<Pots>,
  { isManual, envelopes }: { isManual: boolean; envelopes: Record<string, boolean> },
): Model {
  const opened = Object.entries(envelopes).map(([id, isGoal]) => {
    return [id, emptyEnvelope(isGoal)] as const
  })
  return {
    isManual,
    envelopes: Object.fromEntries(opened),
    rows: [],
    history: [{ kind: 'stated', pots, asOf: 0, upload: null }],
    uploads: [],
    undone: [],
  }
}

/** What is for bank accounts of a manual link alone. */
const manualOnly: ReadonlySet<Operation['kind']> = new Set([
  ...(['create', 'createMany', 'amend', 'move', 'delete', 'state', 'import', 'undo'] as const),
])

/** Does an operation to a model; false where the server is to refuse it, and nothing changes. */
export function apply(model: Model, operation: Operation): boolean {
  if (!model.isManual && manualOnly.has(operation.kind)) return false
  switch (operation.kind) {
    case 'create':
      return create(model, `t${operation.serial}`, operation)
    case 'createMany':
      for (const [index, body] of operation.bodies.entries()) {
        create(model, `t${operation.serial}.${index}`, body)
      }
      return true
    case 'open':
      model.envelopes[operation.envelope] ??= emptyEnvelope(operation.isGoal)
      return true
    case 'close':
      return close(model, operation.envelope)
    case 'fund':
      return fund(model.envelopes, operation)
    case 'endPeriod':
      return endPeriod(model.envelopes, operation)
    case 'assign':
      return change(model, operation.id, (row) => ({ ...row, envelope: operation.envelope }))
    case 'amend':
      return change(model, operation.id, (row) => ({ ...row, amount: operation.amount }))
    case 'move':
      return move(model, operation)
    case 'delete':
      return remove(model, operation)
    case 'transfer':
      return transfer(model, operation)
    case 'state':
      model.history.push({ kind: 'stated', pots: operation.pots, asOf: byHand, upload: null })
      return true
    case 'import':
      return importFile(model, operation)
    case 'undo':
      return undo(model, operation.upload)
    case 'sync':
      return sync(model, operation)
  }
}

/** What can be seen of a model from outside. */
export function seen(model: Model) {
  const held = (isGoal: boolean) =>
    Object.values(model.envelopes)
      .filter((one) => one.isGoal === isGoal)
      .reduce((sum, { current }) => sum + current, 0)
  const available = balanceOf(model, 'available')
  const [expenses, goals] = [held(false), held(true)]
  const rows = model.rows
    .filter(({ isDeleted }) => !isDeleted)
    .map(({ name, amount, envelope, taken, upload }) => ({ name, amount, envelope, taken, upload }))
  return {
    balances: {
      available,
      current: balanceOf(model, 'current'),
      expenses,
      goals,
      free: available - expenses - goals,
    },
    envelopes: Object.entries(model.envelopes)
      .map(([id, { current, used }]) => ({ id, current, used }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
    rows: rows.sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

function create(
  model: Model,
  name: string,
  { adjusts, amount, day, envelope, isPending }: Body,
): boolean {
  const body = { amount, day, envelope, isPending }
  const row = { id: null, key: name, name, taken: 0, isDeleted: false, upload: null, ...body }
  if (!isAssignable(model, row)) return false
  take(model.envelopes, row)
  model.rows.push(row)
  if (adjusts) add(model, row, -1)
  return true
}

/** Whether the envelope is there, and what it is to pay is no deposit. */
function isAssignable(model: Model, { amount, envelope }: Pick<Row, 'amount' | 'envelope'>) {
  return envelope === null || (amount >= 0 && model.envelopes[envelope] !== undefined)
}

function close(model: Model, envelope: string): boolean {
  delete model.envelopes[envelope]
  for (const row of model.rows.filter((one) => one.envelope === envelope)) {
    row.envelope = null
    row.taken = 0
  }
  return true
}

function change(model: Model, id: string, changed: (row: Row) => Row): boolean {
  const index = model.rows.findIndex((row) => row.id === id && !row.isDeleted)
  const row = model.rows[index]
  if (!row) return false
  const after = changed(row)
  if (!isAssignable(model, after)) return false
  if (after.amount === row.amount && after.envelope === row.envelope) return true
  giveBack(model.envelopes, row)
  take(model.envelopes, after)
  model.rows[index] = after
  return true
}

function move(model: Model, { id, day }: Operation & { kind: 'move' }): boolean {
  const row = model.rows.find((one) => one.id === id && !one.isDeleted)
  if (!row) return false
  row.day = day
  for (const event of model.history) {
    if (event.kind === 'added' && event.of === row.key) event.day = day
  }
  return true
}

function remove(model: Model, { id, adjusts, soft }: Operation & { kind: 'delete' }): boolean {
  const row = model.rows.find((one) => one.id === id)
  if (!row) return false
  if (!row.isDeleted && adjusts) {
    add(model, row, 1)
    giveBack(model.envelopes, row)
  }
  row.isDeleted = true
  if (!soft) model.rows.splice(model.rows.indexOf(row), 1)
  return true
}

function transfer(model: Model, { from, to, amount }: Operation & { kind: 'transfer' }): boolean {
  if (from === to) return false
  if ([from, to].some((side) => side !== null && !model.envelopes[side])) return false
  const source = from === null ? null : model.envelopes[from]
  const destination = to === null ? null : model.envelopes[to]
  if (source && source.current < amount) return false
  if (source) source.current -= amount
  if (destination) destination.current += amount
  return true
}

function importFile(model: Model, { serial, file }: Operation & { kind: 'import' }): boolean {
  const known = new Set(model.rows.map(({ name }) => name))
  const fresh = Object.entries(file.rows).filter(([name]) => !known.has(name))
  const asOf = Math.max(...standing(model).map((one) => one.asOf))
  for (const [name, amount] of fresh) {
    const row = { name, amount, envelope: null, taken: 0, isPending: false, isDeleted: false }
    const key = `${serial}/${name}`
    model.rows.push({ id: null, key, day: dayOfRows, ...row, upload: serial })
  }
  const day = file.day ?? dayOfRows
  if (fresh.length > 0 && Object.keys(file.pots).length > 0 && day > asOf) {
    const days = { current: day, available: file.availableDay ?? day }
    const pots = withLater(model, file.pots, days)
    model.history.push({ kind: 'stated', pots, asOf: day, upload: serial })
  }
  model.uploads.push(serial)
  return true
}

/** What a sync has brought already stays as it is; no balance moves. */
function sync(model: Model, { serial, items }: Operation & { kind: 'sync' }): boolean {
  if (model.isManual) return false
  const known = new Set(model.rows.map(({ name }) => name))
  for (const [name, amount] of Object.entries(items)) {
    if (known.has(name)) continue
    const row = { name, amount, envelope: null, taken: 0, isPending: false, isDeleted: false }
    model.rows.push({ id: null, key: `${serial}/${name}`, day: dayOfRows, ...row, upload: null })
  }
  return true
}

/** Returns balances, each with what was added that is dated after its day. */
function withLater({ history }: Model, pots: Pots, days: Required<Pots>): Pots {
  const added = history.filter((one) => one.kind === 'added')
  const sumOf = (pot: keyof Pots) =>
    added.reduce((sum, one) => sum + (one.day > days[pot] ? (one.pots[pot] ?? 0) : 0), 0)
  const sums = Object.keys(pots).map((pot) => {
    const name = pot as keyof Pots
    return [name, (pots[name] ?? 0) + sumOf(name)]
  })
  return Object.fromEntries(sums)
}

function undo(model: Model, upload: number): boolean {
  if (!model.uploads.includes(upload)) return false
  if (model.undone.includes(upload)) return true
  model.undone.push(upload)
  for (const row of model.rows.filter((one) => one.upload === upload && !one.isDeleted)) {
    giveBack(model.envelopes, row)
  }
  model.rows = model.rows.filter((row) => row.upload !== upload)
  return true
}

function standing({ history, undone }: Model) {
  return history
    .filter((one) => one.kind === 'stated')
    .filter((one) => {
      return one.upload === null || !undone.includes(one.upload)
    })
}

function balanceOf(model: Model, pot: 'current' | 'available'): number {
  const last = standing(model).findLast(({ pots }) => pots[pot] !== undefined)
  const since = model.history.slice(last ? model.history.indexOf(last) + 1 : 0)
  const added = since.filter(({ kind }) => kind === 'added').map(({ pots }) => pots[pot] ?? 0)
  return added.reduce((sum, delta) => sum + delta, last?.pots[pot] ?? 0)
}

function add(model: Model, { amount, isPending, day, key }: Row, sign: 1 | -1): void {
  const delta = sign * amount
  const pots = isPending ? { available: delta } : { available: delta, current: delta }
  model.history.push({ kind: 'added', pots, day, of: key })
}
