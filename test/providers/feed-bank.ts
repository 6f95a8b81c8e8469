import { shuffled } from './shuffled.ts'

/** A purchase, deposit or transfer at the bank, as a script states it. */
export interface Purchase {
  /** ID at the provider; generated if absent. Pending rows of the real server may have none. */
  id?: string | null
  /** Day as YYYY-MM-DD. */
  date: string
  /** Decimal number; positive means money in, as the provider has it. */
  amount: string
  /** By default that of the bank account. */
  currency?: string
  merchant?: string | null
  description?: string
}

/** A transaction as the provider lists it. `amount` is a JSON number as text. */
export interface Row {
  id: string | null
  amount: string
  currency: string
  date: string
  merchant: string | null
  description: string
  isPending: boolean
}

/**
 * The transactions of one bank account at the provider. Scripts change them; all that name a row
 * take the handle that `post`, `pend` or `settle` returned: its ID, or another text if it has none.
 */
export interface FeedBank {
  /** Adds a posted row. Returns its handle. */
  post: (one: Purchase) => string
  /** Adds a pending row. Returns its handle. */
  pend: (one: Purchase) => string
  /** Posts a pending row under its ID, that of `how`, or a new one. Returns its handle. */
  settle: (handle: string, how?: Partial<Purchase>) => string
  /** Changes a row in place. A new ID becomes its handle. */
  change: (handle: string, to: Partial<Purchase>) => void
  remove: (handle: string) => void
  /** Lists the row once more in every answer. */
  duplicate: (handle: string) => void
  /** Leaves the row out of the next answers. */
  delay: (handle: string, answers: number) => void
  /** Moves the row to another day after the next answer, so while a client reads days in pages. */
  moveWhilePaging: (handle: string, date: string) => void
  /** Lists the rows in another order, which the seed determines. */
  reorder: (seed: number) => void
  /** Sets the balance, a decimal number. It is independent of the rows. */
  setBalance: (amount: string) => void
  /** Returns the rows of the next answer to a request without days, pending ones included. */
  listed: () => readonly Row[]
}

interface StoredRow {
  row: Row
  copies: number
  /** Number of answers that leave the row out. */
  delayed: number
  /** Day after the next answer. */
  nextDate: string | null
}

/** Creates the transactions of a bank account. `answered` is called after each answer. */
export function createFeedBank(of: {
  currency: () => string
  prefix: string
  setBalance: (amount: string) => void
}): FeedBank & { answered: () => void } {
  const rows = createRows(of)
  return {
    post: (one) => rows.add(one, false),
    pend: (one) => rows.add(one, true),
    settle: (handle, how = {}) => {
      const { row } = rows.find(handle)
      if (!row.isPending) throw new Error(`the row ${handle} is posted already`)
      return rows.change(handle, { ...how, id: how.id ?? row.id ?? rows.newId(), isPending: false })
    },
    change: (handle, to) => void rows.change(handle, to),
    remove: (handle) => rows.remove(handle),
    duplicate: (handle) => {
      rows.find(handle).copies += 1
    },
    delay: (handle, answers) => {
      rows.find(handle).delayed = answers
    },
    moveWhilePaging: (handle, date) => {
      rows.find(handle).nextDate = date
    },
    reorder: (seed) => rows.reorder((all) => shuffled(all, seed)),
    setBalance: of.setBalance,
    listed: () =>
      rows
        .all()
        .filter(({ delayed }) => delayed === 0)
        .flatMap(({ row, copies }) => Array<Row>(copies).fill(row)),
    answered: () => {
      for (const one of rows.all()) {
        one.delayed = Math.max(0, one.delayed - 1)
        if (one.nextDate !== null) one.row = { ...one.row, date: one.nextDate }
        one.nextDate = null
      }
    },
  }
}

/** Creates the rows of a bank account, by their handles. */
function createRows({ prefix, currency }: { prefix: string; currency: () => string }) {
  let stored = new Map<string, StoredRow>()
  let count = 0
  const newId = () => {
    count += 1
    return `${prefix}-${count}`
  }
  const find = (handle: string): StoredRow => {
    const found = stored.get(handle)
    if (!found) throw new Error(`the bank account has no row ${handle}`)
    return found
  }
  const requireFree = (handle: string) => {
    if (stored.has(handle)) throw new Error(`the bank account has a row ${handle} already`)
  }
  return {
    newId,
    find,
    all: () => [...stored.values()],
    add: (one: Purchase, isPending: boolean): string => {
      const { id = newId(), merchant = 'Corner Shop' } = one
      const handle = id ?? `without ID ${newId()}`
      requireFree(handle)
      const description = `CARD ${(merchant ?? '').toUpperCase()}`
      const row = { currency: currency(), description, ...one, id, merchant, isPending }
      stored.set(handle, { row, copies: 1, delayed: 0, nextDate: null })
      return handle
    },
    change: (handle: string, to: Partial<Row>): string => {
      const one = find(handle)
      const next = to.id ?? handle
      if (next !== handle) {
        requireFree(next)
        stored = new Map([...stored].map(([key, kept]) => [key === handle ? next : key, kept]))
      }
      one.row = { ...one.row, ...to }
      return next
    },
    remove: (handle: string) => {
      find(handle)
      stored.delete(handle)
    },
    reorder: (order: (all: [string, StoredRow][]) => [string, StoredRow][]) => {
      stored = new Map(order([...stored]))
    },
  }
}
