import { giveBack, take } from './model-envelope.ts'
import type { Item, Of, Stated } from './model-operation.ts'
import { dayOfRows, type Model, newRow, type ProviderRecord, type Row } from './model-state.ts'

/** Imports a batch; balances do not change. */
export function sync(model: Model, { serial, items }: Of<'sync'>): boolean {
  for (const item of items) {
    const known = rowOf(model, item.id)
    const row = known ?? findContinued(model, item)
    if (row) {
      if (!known) model.paths.push(pathOf(item))
      setRecord(model, row, item)
    } else {
      const { id: name, amount, isPending } = item
      const records = [{ ...item, end: null }]
      const key = `${serial}/${name}`
      model.rows.push(newRow({ key, name, amount, isPending, day: dayOfRows, records }))
    }
  }
  return true
}

/** Removes rows. Each envelope gets its money back and remains assigned, as the row may return. */
export function withdraw(model: Model, { ids }: Of<'withdraw'>): boolean {
  for (const id of ids) {
    const row = rowOf(model, id)
    const live = row && liveOf(row)
    if (!row || live?.id !== id) continue
    live.end = nextEnd(model)
    if (row.taken > 0) model.paths.push('withdrawn from an envelope')
    giveBack(model.envelopes, row)
    row.taken = 0
    row.isDeleted = true
  }
  return true
}

/** Sets the stated balances. */
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

/** Returns the row that an item with a new ID continues; undefined if there is none. */
function findContinued(
  model: Model,
  { id, amount, isPending, pendingOf, text }: Item,
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

function pathOf({ isPending, pendingOf }: Item): Model['paths'][number] {
  if (isPending) return 'posted first'
  return pendingOf === null ? 'posted by likeness' : 'posted by name'
}

/**
 * Makes an item the live record of a row. A pending item does not replace a posted one, and a
 * replaced record is not made live again: both are stored as ended.
 */
function setRecord(model: Model, row: Row, item: Item): void {
  const own = row.records.find(({ id }) => id === item.id)
  const live = liveOf(row)
  const isOvertaken = live && (own ? live !== own : item.isPending && !live.isPending)
  const others = row.records.filter((one) => one !== own)
  if (isOvertaken) {
    row.records = [...others, { ...item, end: own?.end ?? nextEnd(model) }]
    return
  }
  const end = nextEnd(model)
  const ended = others.map((one) => (one.end === null ? { ...one, end } : one))
  row.records = [...ended, { ...item, end: null }]
  updateEnvelope(model, row, item)
}

/** Recalculates the envelope if the amount has changed or a removed row returns. */
function updateEnvelope(model: Model, row: Row, { amount, isPending }: Item): void {
  const { envelopes } = model
  row.isPending = isPending
  if (!row.isDeleted && row.amount === amount) return
  const isBack = row.isDeleted && row.envelope !== null
  if (isBack) model.paths.push('brought back to an envelope')
  if (row.taken > 0) model.paths.push('paid anew')
  giveBack(envelopes, row)
  row.isDeleted = false
  row.amount = amount
  if (amount < 0) row.envelope = null
  take(envelopes, row)
}

function nextEnd({ rows }: Model): number {
  const ends = rows.flatMap(({ records }) => records.map(({ end }) => end ?? 0))
  return Math.max(0, ...ends) + 1
}
