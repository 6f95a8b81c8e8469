/** What a test believes of one bank account: amounts in cents, everything by value. */
export type Model = {
  envelopes: Record<string, { isGoal: boolean; current: number; used: number }>
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

type Pots = { current?: number; available?: number }
/** A balance is what was stated last, by whom nobody has undone, and what was added since. */
type Event =
  | { kind: 'stated'; pots: Pots; asOf: number; upload: number | null }
  | { kind: 'added'; pots: Pots; day: number; of: string }

/** One operation; `serial` tells it from all others. */
export type Operation = { serial: number } & (
  | {
      kind: 'create'
      amount: number
      day: number
      envelope: string | null
      adjusts: boolean
      isPending: boolean
    }
  | { kind: 'move'; id: string; day: number }
  | { kind: 'assign'; id: string; envelope: string | null }
  | { kind: 'amend'; id: string; amount: number }
  | { kind: 'delete'; id: string; adjusts: boolean; soft: boolean }
  | { kind: 'transfer'; from: string | null; to: string | null; amount: number }
  | { kind: 'state'; pots: Pots }
  | { kind: 'import'; file: FileOfRows }
  | { kind: 'undo'; upload: number }
)

/**
 * Rows by identifier, in cents that leave the account; `day` is that of its balances, null where
 * they have none; `availableDay` is that of the available balance where it differs.
 */
export type FileOfRows = {
  rows: Record<string, number>
  pots: Pots
  day: number | null
  availableDay?: number
}

/** The day of the rows of every file. */
const dayOfRows = 10

const byHand = Number.MAX_SAFE_INTEGER

/** A bank account as it is opened, with these empty envelopes. */
export function openModel(pots: Required<Pots>, envelopes: Record<string, boolean>): Model {
  const opened = Object.entries(envelopes).map(([id, isGoal]) => {
    return [id, { isGoal, current: 0, used: 0 }] as const
  })
  return {
    envelopes: Object.fromEntries(opened),
    rows: [],
    history: [{ kind: 'stated', pots, asOf: 0, upload: null }],
    uploads: [],
    undone: [],
  }
}

/** Does an operation to a model; false where the server is to refuse it, and nothing changes. */
export function apply(model: Model, operation: Operation): boolean {
  switch (operation.kind) {
    case 'create':
      return create(model, operation)
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
  { kind: _, serial, adjusts, ...body }: Operation & { kind: 'create' },
) {
  const name = `t${serial}`
  const row = { id: null, key: name, name, taken: 0, isDeleted: false, upload: null, ...body }
  if (row.amount < 0 && row.envelope !== null) return false
  take(model, row)
  model.rows.push(row)
  if (adjusts) add(model, row, -1)
  return true
}

function change(model: Model, id: string, changed: (row: Row) => Row): boolean {
  const index = model.rows.findIndex((row) => row.id === id && !row.isDeleted)
  const row = model.rows[index]
  if (!row) return false
  const after = changed(row)
  if (after.amount < 0 && after.envelope !== null) return false
  if (after.amount === row.amount && after.envelope === row.envelope) return true
  giveBack(model, row)
  take(model, after)
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
    giveBack(model, row)
  }
  row.isDeleted = true
  if (!soft) model.rows.splice(model.rows.indexOf(row), 1)
  return true
}

function transfer(model: Model, { from, to, amount }: Operation & { kind: 'transfer' }): boolean {
  if (from === to) return false
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
    giveBack(model, row)
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

function take(model: Model, row: Row): void {
  const envelope = row.envelope === null ? undefined : model.envelopes[row.envelope]
  row.taken = envelope ? Math.min(envelope.current, row.amount) : 0
  give(envelope, -row.taken)
}

function giveBack(model: Model, row: Row): void {
  give(row.envelope === null ? undefined : model.envelopes[row.envelope], row.taken)
}

function give(envelope: Model['envelopes'][string] | undefined, amount: number): void {
  if (!envelope) return
  envelope.current += amount
  if (envelope.isGoal) envelope.used -= amount
}
