import { type Envelope, emptyEnvelope } from './model-envelope.ts'
import type { Item, Pots } from './model-operation.ts'

/** Paths through the rules that an accepted operation may take or not. */
export const paths = [
  'posted by name',
  'posted by likeness',
  'posted first',
  'paid anew',
  'withdrawn from an envelope',
  'brought back to an envelope',
  'deleted from an envelope',
  'undone from an envelope',
] as const

/** What a test believes of one bank account: amounts in cents, everything by value. */
export type Model = {
  /** Of a link that a user keeps by hand, or else of one that is synced. */
  isManual: boolean
  /** An archived one can be read; of one that is gone nothing is left. */
  stage: 'open' | 'archived' | 'gone'
  account: Account
  envelopes: Record<string, Envelope>
  rows: Row[]
  history: Event[]
  /** Imports by the serial number of their operation. */
  uploads: number[]
  undone: number[]
  /** Taken so far. */
  paths: (typeof paths)[number][]
}

/** What is said of a bank account beside its money, and its limit. */
export type Account = {
  name: string
  originalName: string
  mask: string | null
  limit: number
  accountType: string
}

export type Row = {
  /** Null until the server has been asked. */
  id: string | null
  /** Tells it from a row of the same name that came before. */
  key: string
  /** In its file; null without one. */
  identifier: string | null
  /** Of January. */
  day: number
  name: string
  notes: string | null
  amount: number
  envelope: string | null
  taken: number
  isPending: boolean
  isDeleted: boolean
  upload: number | null
  /** The funding schedule that made it. */
  schedule: string | null
  records: ProviderRecord[]
}

/** What a provider said last under one ID; `end` orders those that do not count any more. */
export type ProviderRecord = Item & { end: number | null }

/** A balance is what was stated last and not undone, and what was added since. */
export type Event =
  | { kind: 'stated'; pots: Pots; asOf: number; upload: number | null }
  | { kind: 'added'; pots: Pots; day: number; of: string }

/** The day of the rows of every file and of every provider. */
export const dayOfRows = 10

/** A bank account as it is opened, with these empty envelopes. */
export function openModel(
  isManual: boolean,
  opened: { account: Account; pots: Required<Pots>; envelopes: Record<string, boolean> },
): Model {
  const envelopes = Object.entries(opened.envelopes).map(([id, isGoal]) => {
    return [id, emptyEnvelope(isGoal)] as const
  })
  return {
    isManual,
    stage: 'open',
    account: opened.account,
    envelopes: Object.fromEntries(envelopes),
    rows: [],
    history: [{ kind: 'stated', pots: opened.pots, asOf: 0, upload: null }],
    uploads: [],
    undone: [],
    paths: [],
  }
}

/** A posted row without an envelope or a source. */
export function newRow(made: Pick<Row, 'key' | 'name' | 'amount' | 'day'> & Partial<Row>): Row {
  return {
    id: null,
    identifier: null,
    notes: null,
    envelope: null,
    taken: 0,
    isPending: false,
    isDeleted: false,
    upload: null,
    schedule: null,
    records: [],
    ...made,
  }
}

/** What can be seen of a model from outside. */
export function seen(model: Model) {
  if (model.stage === 'gone') return null
  const held = (isGoal: boolean) =>
    Object.values(model.envelopes)
      .filter((one) => one.isGoal === isGoal)
      .reduce((sum, { current }) => sum + current, 0)
  const available = balanceOf(model, 'available')
  const [expenses, goals] = [held(false), held(true)]
  const { name, originalName, mask, limit, accountType } = model.account
  return {
    account: { name, originalName, mask, limit, accountType },
    isArchived: model.stage === 'archived',
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
    rows: model.rows
      .filter(({ isDeleted }) => !isDeleted)
      .map(({ name, notes, amount, day, envelope, taken, isPending, upload, schedule }) => {
        return { name, notes, amount, day, envelope, taken, isPending, upload, schedule }
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

/** What was stated and not undone. */
export function standing({ history, undone }: Model) {
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
