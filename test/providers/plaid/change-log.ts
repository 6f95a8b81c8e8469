import { randomUUID } from 'node:crypto'
import type { RemovedTransaction, Transaction } from 'plaid'
import { shuffled } from '../shuffled.ts'
import { PlaidRefusal } from './errors.ts'
import type { Plain } from './plain.ts'

/** A transaction in answers of Plaid. */
export type Row = Plain<Transaction>

/** Transactions that differ from those at a cursor. */
export interface Changes {
  added: Row[]
  modified: Row[]
  removed: Plain<RemovedTransaction>[]
}

/** A page of changes. */
export interface ChangePage extends Changes {
  next_cursor: string
  has_more: boolean
}

/** A transaction with the positions of its changes; the first position is 1. */
interface Kept {
  row: Row
  addedAt: number
  /** Position of the last change; 0 while the transaction is delayed. */
  changedAt: number
  isRemoved: boolean
  /** Number of complete reads that still leave it out. */
  delayed: number
}

/**
 * Position of a reader. `base` is the position of the loop's first page. `revision` is that of the
 * log at the first page, and null between loops.
 */
interface Cursor {
  base: number
  at: number
  revision: number | null
}

/**
 * The transactions of an item in the order of their last changes. Each transaction is in a loop of
 * pages at most once, as it is now: one that was added and removed since the cursor is left out.
 */
export interface ChangeLog {
  add: (row: Row) => void
  change: (id: string, to: Partial<Row>) => void
  remove: (id: string) => void
  get: (id: string) => Row
  /** Returns all transactions that are neither removed nor delayed. */
  live: () => Row[]
  /** Leaves an unread transaction out until the log was read to its end so often. */
  delay: (id: string, reads: number) => void
  /** Orders the changes that no client has read to the end anew; the seed determines how. */
  reorder: (seed: number) => void
  /** Returns the position up to which a client has read to the end. */
  readTo: () => number
  /** Adds the changes of a bank account after a position once more. */
  repeat: (accountId: string, after: number) => void
  /** Refuses all cursors given so far. */
  refuseCursors: () => void
  /** Returns all changes after a cursor, null for the beginning. No client reads them by it. */
  changesAfter: (cursor: string | null) => Changes
  /**
   * Returns the changes after a cursor, of visible bank accounts.
   * @throws {PlaidRefusal} for a foreign cursor, and for one within a loop after a change
   */
  read: (of: {
    cursor: string
    count: number
    isVisible: (accountId: string) => boolean
  }) => ChangePage
}

/** Creates the change log of an item, without transactions. */
export function createChangeLog(): ChangeLog {
  const { rows, entries, find, note, noteNew } = createEntries()
  let key = randomUUID()
  let revision = 0
  /** Position up to which a client has read to the end. */
  let read = 0
  const changing =
    <Given extends unknown[]>(change: (...given: Given) => void) =>
    (...given: Given) => {
      revision += 1
      change(...given)
    }
  return {
    add: changing((row: Row) => {
      const id = row.transaction_id
      if (rows.has(id)) throw new Error(`the item has a transaction ${id} already`)
      const kept = { row, addedAt: 0, changedAt: 0, isRemoved: false, delayed: 0 }
      rows.set(id, kept)
      noteNew(kept)
    }),
    change: changing((id: string, to: Partial<Row>) => {
      const kept = find(id)
      kept.row = { ...kept.row, ...to }
      note(kept)
    }),
    remove: changing((id: string) => {
      const kept = find(id)
      kept.isRemoved = true
      note(kept)
    }),
    get: (id) => find(id).row,
    live: () => {
      const all = [...rows.values()]
      return all.filter((one) => !one.isRemoved && one.delayed === 0).map(({ row }) => row)
    },
    delay: changing((id: string, reads: number) => {
      const kept = find(id)
      if (kept.addedAt <= read) throw new Error(`the transaction ${id} was read already`)
      kept.delayed = reads
      kept.changedAt = 0
    }),
    reorder: changing((seed: number) => reorder(entries, read, seed)),
    readTo: () => read,
    repeat: changing((accountId: string, after: number) => {
      for (const kept of rows.values()) {
        if (kept.row.account_id !== accountId || kept.changedAt <= after) continue
        if (kept.addedAt > after) noteNew(kept)
        else note(kept)
      }
    }),
    refuseCursors: () => {
      key = randomUUID()
    },
    changesAfter: (cursor) => allAfter(entries, parseCursor(cursor ?? '', key, entries.length)),
    read: ({ cursor, count, isVisible }) => {
      const from = parseCursor(cursor, key, entries.length)
      if (from.revision !== null && from.revision !== revision) {
        throw new PlaidRefusal('TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION')
      }
      const { changes, at, hasMore } = pageOf(entries, from, count, isVisible)
      const next = hasMore ? { base: from.base, at, revision } : { base: at, at, revision: null }
      if (!hasMore) {
        read = at
        if (endDelays([...rows.values()], noteNew)) revision += 1
      }
      return { ...changes, next_cursor: cursorText(key, next), has_more: hasMore }
    },
  }
}

/** Creates the transactions by ID, and their changes by position. */
function createEntries() {
  const rows = new Map<string, Kept>()
  /** Position minus 1 to transaction. Stale if the transaction has changed since. */
  const entries: Kept[] = []
  // The end of a delay notes a delayed transaction.
  const note = (kept: Kept) => {
    if (kept.delayed === 0) kept.changedAt = entries.push(kept)
  }
  return {
    rows,
    entries,
    find: (id: string): Kept => {
      const kept = rows.get(id)
      if (!kept || kept.isRemoved) throw new Error(`the item has no transaction ${id}`)
      return kept
    },
    note,
    noteNew: (kept: Kept) => {
      note(kept)
      kept.addedAt = kept.changedAt
    },
  }
}

/** Counts a read for the delayed transactions. Returns whether a delay has ended. */
function endDelays(all: readonly Kept[], noteNew: (kept: Kept) => void): boolean {
  const delayed = all.filter((one) => one.delayed > 0)
  for (const kept of delayed) {
    kept.delayed -= 1
    if (kept.delayed === 0) noteNew(kept)
  }
  return delayed.some((one) => one.delayed === 0)
}

/** Orders the last changes after a position anew. */
function reorder(entries: Kept[], read: number, seed: number): void {
  const unread = entries.filter((kept, index) => kept.changedAt === index + 1 && index >= read)
  const positions = unread.map(({ changedAt }) => changedAt)
  for (const [index, kept] of shuffled(unread, seed).entries()) {
    const position = positions[index] ?? 0
    kept.changedAt = position
    entries[position - 1] = kept
  }
}

/** Returns at most `count` changes after a position, and whether there are more. */
function pageOf(
  entries: readonly Kept[],
  { base, at }: Cursor,
  count: number,
  isVisible: (accountId: string) => boolean,
) {
  const changes: Changes = { added: [], modified: [], removed: [] }
  let taken = 0
  for (let index = at; index < entries.length; index += 1) {
    const kept = entries[index] as Kept
    const { row, addedAt, isRemoved } = kept
    const isNew = addedAt > base
    if (kept.changedAt !== index + 1 || (isNew && isRemoved)) continue
    if (!isVisible(row.account_id)) continue
    if (taken === count) return { changes, at: index, hasMore: true }
    taken += 1
    if (isRemoved) {
      const { transaction_id, account_id } = row
      changes.removed.push({ transaction_id, account_id })
    } else if (isNew) changes.added.push(row)
    else changes.modified.push(row)
  }
  return { changes, at: entries.length, hasMore: false }
}

function allAfter(entries: readonly Kept[], from: Cursor): Changes {
  return pageOf(entries, from, Number.POSITIVE_INFINITY, () => true).changes
}

function cursorText(key: string, { base, at, revision }: Cursor): string {
  return Buffer.from(JSON.stringify([key, base, at, revision])).toString('base64')
}

function parseCursor(cursor: string, key: string, end: number): Cursor {
  if (cursor === '') return { base: 0, at: 0, revision: null }
  if (cursor === 'now') return { base: end, at: end, revision: null }
  try {
    const [owner, base, at, revision] = JSON.parse(Buffer.from(cursor, 'base64').toString())
    if (owner === key) return { base, at, revision }
  } catch {
    // The text is no cursor of ours.
  }
  throw new PlaidRefusal('INVALID_FIELD', 'cursor not associated with access_token')
}
