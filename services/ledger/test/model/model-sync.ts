import { dayOfRows, giveBack, take } from './model-envelope.ts'
import type { Of, ProviderRow, Stated } from './model-operation.ts'
import { type Model, newRow, type ProviderRecord, type Row } from './model-state.ts'

/** Imports a batch of provider transactions; balances do not change. Returns true: accepted. */
export function sync(model: Model, { serial, providerRows }: Of<'sync'>): boolean {
  for (const providerRow of providerRows) {
    const known = rowOf(model, providerRow.id)
    const row = known ?? findContinued(model, providerRow)
    if (row) {
      if (!known) model.paths.push(pathOf(providerRow))
      setRecord(model, row, providerRow)
    } else {
      const { id: name, amount, isPending } = providerRow
      const records = [{ ...providerRow, end: null }]
      const key = `${serial}/${name}`
      model.rows.push(newRow({ key, name, amount, isPending, day: dayOfRows, records }))
    }
  }
  return true
}

/**
 * Removes transactions that the provider no longer has. Their envelopes get the money back and
 * remain assigned, as the provider may send a transaction again. Returns true: accepted.
 */
export function withdraw(model: Model, { ids }: Of<'withdraw'>): boolean {
  for (const id of ids) {
    const row = rowOf(model, id)
    const live = row && liveOf(row)
    if (!row || live?.id !== id) continue
    live.end = nextEnd(model)
    if (row.taken > 0) model.paths.push('withdrawn from an envelope')
    giveBack(model.envelopes, row)
    row.taken = 0
    row.refunded = 0
    row.isDeleted = true
  }
  return true
}

/**
 * Sets the balances, and the limit if given, to the amounts that the provider states. Returns true:
 * accepted.
 */
export function setBalances(model: Model, { limit, ...pots }: Stated): boolean {
  model.history.push({ kind: 'stated', pots, asOf: 0, upload: null })
  if (limit !== undefined) model.account.limit = Math.max(0, limit)
  return true
}

export function liveOf({ records }: Row): ProviderRecord | undefined {
  return records.find(({ end }) => end === null)
}

function rowOf(model: Model, id: string): Row | undefined {
  return model.rows.find(({ records }) => records.some((one) => one.id === id))
}

/**
 * Returns the transaction that a provider's transaction with a new ID continues, such as the
 * pending one that it posts; undefined if there is none.
 */
function findContinued(
  model: Model,
  { id, amount, isPending, pendingOf, text }: ProviderRow,
): Row | undefined {
  if (isPending) {
    return model.rows.find(({ records }) => records.some((one) => one.pendingOf === id))
  }
  if (pendingOf !== null) {
    const named = rowOf(model, pendingOf)
    return named && liveOf(named)?.isPending !== false ? named : undefined
  }
  return model.rows.find((row) => {
    const last = liveOf(row) ?? row.records.toSorted((a, b) => (b.end ?? 0) - (a.end ?? 0))[0]
    return last?.isPending && last.amount === amount && last.text === text
  })
}

function pathOf({ isPending, pendingOf }: ProviderRow): Model['paths'][number] {
  if (isPending) return 'posted first'
  return pendingOf === null ? 'posted by likeness' : 'posted by name'
}

/**
 * Makes a provider's transaction the live record of a row (`end` is null). A pending transaction
 * after a posted one is stored as an ended record instead, and so is one that was already replaced.
 */
function setRecord(model: Model, row: Row, providerRow: ProviderRow): void {
  const own = row.records.find(({ id }) => id === providerRow.id)
  const live = liveOf(row)
  const isOvertaken = live && (own ? live !== own : providerRow.isPending && !live.isPending)
  const others = row.records.filter((one) => one !== own)
  if (isOvertaken) {
    row.records = [...others, { ...providerRow, end: own?.end ?? nextEnd(model) }]
    return
  }
  const end = nextEnd(model)
  const ended = others.map((one) => (one.end === null ? { ...one, end } : one))
  row.records = [...ended, { ...providerRow, end: null }]
  updateEnvelope(model, row, providerRow)
}

/**
 * Updates the amount of a row. If it has changed, or the row was deleted, the envelope gets back
 * the money it paid, and pays the new amount.
 */
function updateEnvelope(model: Model, row: Row, { amount, isPending }: ProviderRow): void {
  const { envelopes } = model
  row.isPending = isPending
  if (!row.isDeleted && row.amount === amount) return
  const isBack = row.isDeleted && row.envelope !== null
  if (isBack) model.paths.push('brought back to an envelope')
  if (row.taken > 0) model.paths.push('paid anew')
  giveBack(envelopes, row)
  row.isDeleted = false
  row.amount = amount
  if (row.isRefund !== amount < 0) Object.assign(row, { envelope: null, isRefund: false })
  take(envelopes, row)
}

function nextEnd({ rows }: Model): number {
  const ends = rows.flatMap(({ records }) => records.map(({ end }) => end ?? 0))
  return Math.max(0, ...ends) + 1
}
