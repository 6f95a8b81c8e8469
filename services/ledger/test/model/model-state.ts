import { type Envelope, emptyEnvelope, usedOf } from './model-envelope.ts'
import { type FreeFields, freeOf } from './model-fields.ts'
import type { Pots, ProviderRow } from './model-operation.ts'

/** Branches of the ledger's rules. A test run must reach each of them at least once. */
export const paths = [
  'posted by name',
  'posted by likeness',
  'posted first',
  'paid anew',
  'withdrawn from an envelope',
  'brought back to an envelope',
  'deleted from an envelope',
  'restored as kept',
  'restored to an envelope',
  'undone from an envelope',
  'refunded in part',
  'refund reversed',
  'paid in a grace',
  'paid after a grace',
] as const

/** The expected state of one bank account. Amounts are in cents. */
export type Model = {
  /** True if the bank account is on a manual link, false on a synced link. */
  isManual: boolean
  /** An `archived` bank account is read-only. The rows of a `removed` one are deleted. */
  stage: 'open' | 'archived' | 'removed'
  account: Account
  envelopes: Record<string, Envelope>
  rows: Row[]
  history: Event[]
  /** Serial numbers of the operations that imported a file. */
  uploads: number[]
  undone: number[]
  /**
   * Branches of the ledger's rules that the operations on this bank account have reached so far.
   */
  paths: (typeof paths)[number][]
}

/** Fields of a bank account except its balances. `limit` is in cents. */
export type Account = {
  name: string
  originalName: string
  mask: string | null
  limit: number
  accountType: string
}

export type Row = FreeFields & {
  /** The transaction ID; null until it is read from the server. */
  id: string | null
  /** Key of the transaction, unique within the model. Several transactions may have one `name`. */
  key: string
  /** Identifier of the row in its file (FITID in OFX); null if no file contains the transaction. */
  identifier: string | null
  /** Day of January 2026. */
  day: number
  name: string
  amount: number
  envelope: string | null
  taken: number
  /** Whether the transaction is a deposit that gave `refunded` back to the envelope. */
  isRefund: boolean
  refunded: number
  isPending: boolean
  isDeleted: boolean
  /** Whether the deletion of the transaction returned its money. */
  isReturned: boolean
  /** The amounts that the last deletion returned to the balances. */
  returned: Pots
  upload: number | null
  /** ID of the funding schedule that created the transaction as a deposit; null for others. */
  schedule: string | null
  records: ProviderRecord[]
}

/**
 * The data that a provider sent last under one transaction ID. `end` is null while the record is
 * live (the transaction shows its data), else a number that orders the ended records.
 */
export type ProviderRecord = ProviderRow & { end: number | null }

/**
 * A change of balances: stated as an absolute amount, or added. A balance is the last stated amount
 * that is not undone, plus all amounts added since.
 */
export type Event =
  | { kind: 'stated'; pots: Pots; asOf: number; upload: number | null }
  | { kind: 'added'; pots: Pots; day: number; of: string }

/** Returns the model of a new bank account, whose envelopes hold no money. */
export function createModel(
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

/** Returns a posted transaction without an envelope, an upload or a provider record. */
export function newRow(made: Pick<Row, 'key' | 'name' | 'amount' | 'day'> & Partial<Row>): Row {
  return {
    id: null,
    identifier: null,
    ...freeOf({}),
    envelope: null,
    taken: 0,
    isRefund: false,
    refunded: 0,
    isPending: false,
    isDeleted: false,
    isReturned: false,
    returned: {},
    upload: null,
    schedule: null,
    records: [],
    ...made,
  }
}

/**
 * Returns the part of the model that can be read from the server, in the form of `readState`. It
 * has all that later operations depend on: two orders of concurrent ones with the same state have
 * the same future.
 */
export function visibleState(model: Model) {
  if (model.stage === 'removed') return null
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
      .map(([id, one]) => {
        const { current, spent, refunded, grace } = one
        const graced = grace ? [grace.unspent, grace.missing] : []
        return { id, current, used: usedOf(one), spent, refunded, graced }
      })
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
    rows: model.rows
      .filter(({ isDeleted }) => !isDeleted)
      .map(({ name, amount, day, envelope, isPending, upload, schedule, ...rest }) => {
        const { taken, isRefund, refunded } = rest
        const paid = { envelope, taken, isRefund, refunded }
        return { name, amount, day, ...paid, isPending, upload, schedule, ...freeOf(rest) }
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

/**
 * Returns the events in which a user, a provider or a file stated balances, except those of undone
 * imports.
 */
export function standingStatements({ history, undone }: Model) {
  return history
    .filter((one) => one.kind === 'stated')
    .filter((one) => {
      return one.upload === null || !undone.includes(one.upload)
    })
}

export function balanceOf(model: Model, pot: 'current' | 'available'): number {
  const last = standingStatements(model).findLast(({ pots }) => pots[pot] !== undefined)
  const since = model.history.slice(last ? model.history.indexOf(last) + 1 : 0)
  const added = since.filter(({ kind }) => kind === 'added').map(({ pots }) => pots[pot] ?? 0)
  return added.reduce((sum, delta) => sum + delta, last?.pots[pot] ?? 0)
}
