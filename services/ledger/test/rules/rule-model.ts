import { isDeepStrictEqual } from 'node:util'

export const fields = ['name', 'merchantName', 'notes', 'tags', 'spendingId'] as const
export type Field = (typeof fields)[number]
export type Value = string | string[] | null

/** The value of a field, and who has set it: `provider`, `user`, or the ID of a rule. */
export type Held = { value: Value; by: string }

/** A transaction of the model; its date is its key. */
export interface ModelRow {
  date: string
  bankAccountId: string
  text: string
  amount: bigint
  isPending: boolean
  isGone: boolean
  fields: Record<Field, Held>
}

/** A pending row that a posted one has joined, and both as they were before. */
export type ModelJoin = { row: ModelRow; pending: ModelRow; posted: ModelRow }

export interface ModelRule {
  ruleId: string
  word?: string
  isPending?: boolean
  /** The envelope is that of payments. */
  actions: Partial<Record<Field, Value>>
  /** The envelope of refunds. */
  refundId?: string | undefined
}

/** The fields of a row that a run has changed. */
export type ModelChange = { row: ModelRow; set: { field: Field; before: Held; after: Held }[] }

const provider = (value: Value): Held => ({ value, by: 'provider' })

export function newRow(of: Omit<ModelRow, 'isGone' | 'fields'>): ModelRow {
  const empty = { merchantName: provider(null), notes: provider(null), tags: provider([]) }
  const held = { name: provider(of.text), ...empty, spendingId: provider(null) }
  return { ...of, isGone: false, fields: held }
}

const actionOf = ({ amount }: ModelRow, field: Field, { actions, refundId }: ModelRule) =>
  field === 'spendingId' && amount < 0n ? refundId : actions[field]

const isMatch = (row: ModelRow, { word, isPending }: ModelRule) =>
  (word === undefined || row.text.toLowerCase().includes(word)) &&
  (isPending === undefined || row.isPending === isPending)

/**
 * Applies rules to a row: of those that match, the first decides each field, those of the chosen
 * ones are added to its tags, and a field of the user stays, or one that a rule decides that is not
 * chosen.
 * `owners` has the bank account of each envelope.
 */
export function applyRules(
  row: ModelRow,
  rules: readonly ModelRule[],
  owners: ReadonlyMap<string, string>,
  chosen = rules,
): { isMatched: boolean; change: ModelChange } {
  const matching = rules.filter((rule) => isMatch(row, rule))
  const set = fields.flatMap((field) => {
    const before = row.fields[field]
    const deciding = matching.filter((rule) => actionOf(row, field, rule) !== undefined)
    const isTags = field === 'tags'
    const setting = deciding.filter((one) => chosen.includes(one))
    const first = isTags
      ? deciding.find((one) => setting.includes(one) || one.ruleId === before.by)
      : deciding[0]
    const isDecided = !isTags && first !== setting[0]
    if (!first || setting.length === 0 || isDecided || before.by === 'user') return []
    const tags = [before.value ?? [], ...setting.map(({ actions }) => actions.tags ?? [])].flat()
    const value = isTags ? [...new Set(tags)] : (actionOf(row, field, first) ?? null)
    const isForeign = field === 'spendingId' && owners.get(`${value}`) !== row.bankAccountId
    if (isForeign || isDeepStrictEqual(value, before.value)) return []
    const after = { value, by: first.ruleId }
    row.fields[field] = after
    return [{ field, before, after }]
  })
  return { isMatched: matching.some((one) => chosen.includes(one)), change: { row, set } }
}

/** Sets a field as the user does: a value that it has already is an edit too. */
export function edit(row: ModelRow, field: Field, value: Value): void {
  row.fields[field] = { value, by: 'user' }
}

/**
 * Undoes a run: puts back each field that still has the run's value, and that none of the later
 * runs has changed; in those its value is the one before. Returns the counts.
 */
export function undoChanges(changes: readonly ModelChange[], later: readonly ModelChange[]) {
  let [undoneCount, keptCount] = [0n, 0n]
  for (const { row, set } of changes) {
    const due = set.filter(({ field, before, after }) => {
      const ofRow = later.filter((one) => one.row === row).flatMap((one) => one.set)
      const next = ofRow.find((one) => one.field === field)
      if (next && isDeepStrictEqual(next.before, after)) next.before = before
      return !next && isDeepStrictEqual(row.fields[field], after)
    })
    if (!row.isGone) for (const { field, before } of due) row.fields[field] = before
    if (!row.isGone && due.length > 0) undoneCount += 1n
    if (row.isGone || due.length < set.length) keptCount += 1n
  }
  return { undoneCount, keptCount }
}

/**
 * Takes apart what `joinRows` has joined, whose pending row the provider has removed: the posted
 * row is as before, with the fields that the user has changed since. Returns it.
 */
export function separateRows({ row, pending, posted }: ModelJoin): ModelRow {
  for (const field of fields) {
    const [now, before] = [row.fields[field], pending.fields[field]]
    const isSince = now.by === 'user' && !isDeepStrictEqual(now.value, before.value)
    if (isSince && !isDeepStrictEqual(now.value, posted.fields[field].value)) {
      posted.fields[field] = now
    }
  }
  row.isGone = true
  return posted
}

/** Returns the row that is left after a posted one joins a pending one. */
export function joinRows(pending: ModelRow, posted: ModelRow): ModelRow {
  const isEdited = fields.some((field) => pending.fields[field].by === 'user')
  if (!isEdited) {
    pending.isGone = true
    return posted
  }
  for (const field of fields) {
    const isReplaced = pending.fields[field].by !== 'user' && posted.fields[field].by !== 'provider'
    if (isReplaced) pending.fields[field] = posted.fields[field]
  }
  const { text, amount, isPending } = posted
  return Object.assign(pending, { text, amount, isPending })
}

/** Joins a posted row to a pending one as its user says: edits of the posted one come first. */
export function acceptRow(pending: ModelRow, posted: ModelRow): void {
  for (const field of fields) {
    const [own, other] = [pending.fields[field], posted.fields[field]]
    const isRules = other.by !== 'provider' && own.by !== 'user'
    if (other.by === 'user' || isRules) pending.fields[field] = other
  }
  const { text, amount, date } = posted
  Object.assign(pending, { text, amount, date, isPending: false })
}

/** Takes an accepted row, whose pending one is still listed, apart: it keeps edits since. */
export function partRow({ row, pending, posted }: ModelJoin): void {
  for (const field of fields) {
    const [now, other] = [row.fields[field], posted.fields[field]]
    const isAlong = other.by !== 'provider' && isDeepStrictEqual(now, other)
    if (isAlong) row.fields[field] = pending.fields[field]
  }
  const { text, amount, date } = pending
  Object.assign(row, { text, amount, date, isPending: true })
}
