import { type Chance, choose } from '../sync-model/chance.ts'
import {
  type Bank,
  correctedCents,
  days,
  type How,
  inUnits,
  lastOf,
  listed,
  lotOf,
  newId,
  nextOf,
  rowOf,
  settledRow,
} from './bank.ts'
import { hide, lotAt, type Purchase, type Row, show } from './purchase.ts'

type Event =
  | { fits: null; happen: (bank: Bank, chance: Chance) => void }
  | {
      fits: (one: Purchase, bank: Bank) => boolean
      happen: (bank: Bank, chance: Chance, one: Purchase) => void
    }

/**
 * Adds a purchase that is never changed, of a day before all others: syncs keep what is older than
 * the list.
 */
export function buyFirst(bank: Bank): void {
  const row = { ...rowOf(bank, { pick: 0, days: 0, variant: 0 }), day: -days }
  buy(bank, { row, isCancelled: true })
}

/** All events at the bank. Each chooses one of the purchases that it fits. */
export const bankEvents = {
  pend: { fits: null, happen: (bank, chance) => pend(bank, chance) },
  pendWithoutId: { fits: null, happen: (bank, chance) => pend(bank, chance, null) },
  post: {
    fits: null,
    happen: (bank, chance) => buy(bank, { row: rowOf(bank, chance) }),
  },
  buyAlike: {
    fits: ({ row, stale }) => row !== null && stale === null,
    happen: buyAlike,
  },
  postAlike: {
    fits: isPending,
    happen: (bank, chance, one) => buyAlike(bank, { ...chance, variant: 0 }, one),
  },
  settle: {
    fits: isPending,
    happen: (bank, chance, one) => settle(bank, one, { chance, isSameId: true }),
  },
  settleUnderOtherId: {
    fits: isPending,
    happen: (bank, chance, one) => settle(bank, one, { chance, isSameId: false }),
  },
  settleWithTip: {
    fits: (one, bank) => isPending(one) && isPlain(one, bank),
    happen: settleWithTip,
  },
  dropBeforePosting: {
    fits: (one) => isPending(one) && !one.isUnsure,
    happen: ({ feed }, _, one) => {
      feed.remove(one.handle)
      hide(one)
    },
  },
  postDropped: {
    fits: ({ row, isCancelled }) => row === null && !isCancelled,
    happen: (bank, chance, one) => {
      const row = settledRow(bank, lastOf(one), { chance, isSameId: false })
      one.handle = bank.feed.post(listed(bank, row))
      show(one, row)
    },
  },
  postBeside: {
    fits: (one, bank) => isPlain(one, bank) && isPending(one),
    happen: postBeside,
  },
  pendAfterPosting: {
    fits: (one, bank) => isPlain(one, bank) && !one.wasPending,
    happen: pendAfterPosting,
  },
  dropStale: {
    fits: ({ stale }) => stale !== null,
    happen: ({ feed }, _, one) => {
      feed.remove(one.stale ?? '')
      one.stale = null
    },
  },
  changeAmount: {
    fits: isChangeable,
    happen: (bank, _, one) => change(bank, one, { cents: correctedCents(bank, lastOf(one)) }),
  },
  changeDay: {
    fits: isChangeable,
    happen: (bank, chance, one) => change(bank, one, { day: chance.days % days }),
  },
  changeText: {
    fits: isChangeable,
    happen: (bank, { pick, variant }, one) => change(bank, one, { family: pick % 3, variant }),
  },
  cancel: {
    fits: isChangeable,
    happen: ({ feed }, _, one) => {
      feed.remove(one.handle)
      one.isCancelled = true
      hide(one)
    },
  },
  listAgain: {
    fits: (one) => one.row === null && one.isCancelled && lastOf(one).id !== null,
    happen: (bank, _, one) => {
      const row = lastOf(one)
      const { feed } = bank
      one.handle = row.isPending ? feed.pend(listed(bank, row)) : feed.post(listed(bank, row))
      one.isCancelled = false
      show(one, row)
    },
  },
  duplicate: {
    fits: (one) => isChangeable(one) && lastOf(one).id !== null,
    happen: ({ feed }, _, one) => feed.duplicate(one.handle),
  },
  delay: {
    // A sync that does not know the ID of the row yet would take the purchase for a removed one.
    fits: (one) => isChangeable(one) && one.seen.length === 1,
    happen: ({ feed }, _, one) => {
      feed.delay(one.handle, 1)
      one.isUnsure = true
    },
  },
  moveWhilePaging: {
    fits: isChangeable,
    happen: (bank, chance, one) => {
      const row = { ...lastOf(one), day: chance.days % days }
      bank.feed.moveWhilePaging(one.handle, bank.dayAt(row.day))
      one.isUnsure = true
      show(one, row)
    },
  },
  renewAllIds: { fits: null, happen: (bank) => renewAll(bank, () => newId(bank)) },
  restoreAllIds: { fits: null, happen: (bank) => renewAll(bank, ({ formerId }) => formerId) },
  reorder: { fits: null, happen: ({ feed }, { pick }) => feed.reorder(pick) },
  setBalance: {
    fits: null,
    happen: (bank, { pick }) => {
      bank.balance = pick * 100 + nextOf(bank)
      bank.balances.push(bank.balance)
      bank.feed.setBalance(inUnits(bank.balance))
    },
  },
} satisfies Record<string, Event>

export type BankEvent = keyof typeof bankEvents

/** Lets an event happen; returns the lot of its purchase. Null if there is none that it fits. */
export function happen(bank: Bank, kind: BankEvent, chance: Chance): number | null {
  const event: Event = bankEvents[kind]
  if (event.fits === null) {
    event.happen(bank, chance)
    return bank.purchases.at(-1)?.lot ?? 0
  }
  const fitting = bank.purchases.filter((one) => event.fits(one, bank))
  const equal = fitting.filter(({ lot }) => lotOf(bank, lot).length > 1)
  // Half of the events prefer purchases that look alike.
  const one = choose(chance.variant % 2 === 0 && equal.length > 0 ? equal : fitting, chance.pick)
  if (!one) return null
  event.happen(bank, chance, one)
  return one.lot
}

function isChangeable({ row, stale, isUnsure, isCancelled }: Purchase): boolean {
  return row !== null && stale === null && !isUnsure && !isCancelled
}

function isPending(one: Purchase): boolean {
  return isChangeable(one) && one.row?.isPending === true
}

/** Whether no other purchase is equal, and every sync has read the same row. */
function isPlain(one: Purchase, bank: Bank): boolean {
  const { row, seen } = one
  const isSame = seen.every(({ day, cents, family }) => {
    return day === row?.day && cents === row.cents && family === row.family
  })
  return isChangeable(one) && isSame && !one.isBroken && lotOf(bank, one.lot).length === 1
}

function buy(bank: Bank, one: { row: Row; isCancelled?: boolean }): void {
  const { row, isCancelled = false } = one
  const handle = row.isPending
    ? bank.feed.pend(listed(bank, row))
    : bank.feed.post(listed(bank, row))
  bank.purchases.push({
    lot: lotAt(row.cents),
    row,
    seen: [row],
    mayLack: true,
    handle,
    stale: null,
    isUnsure: false,
    isTipped: false,
    isBroken: false,
    isCancelled,
    wasPending: row.isPending,
    formerId: null,
    transactionId: null,
  })
}

function pend(bank: Bank, chance: Chance, id: string | null = newId(bank)): void {
  buy(bank, { row: { ...rowOf(bank, chance), id, isPending: true } })
}

/** Buys the same again on this or one of the next days: pending with or without ID, or posted. */
function buyAlike(bank: Bank, { days: more, variant }: Chance, { row }: Purchase): void {
  if (!row) return
  const isPosted = variant % 3 === 0
  const id = isPosted || variant % 3 === 1 ? newId(bank) : null
  buy(bank, { row: { ...row, id, isPending: !isPosted, day: row.day + (more % 4) } })
}

function settle(bank: Bank, one: Purchase, how: How): void {
  const row = settledRow(bank, lastOf(one), how)
  one.handle = bank.feed.settle(one.handle, listed(bank, row))
  show(one, row)
}

/** Posts a pending row under another ID, with a larger amount of its lot. */
function settleWithTip(bank: Bank, _chance: Chance, one: Purchase): void {
  const before = lastOf(one)
  const cents = correctedCents(bank, before)
  const row = { ...before, id: newId(bank), isPending: false, cents }
  one.isTipped = one.seen.length === 1
  one.handle = bank.feed.settle(one.handle, listed(bank, row))
  show(one, row)
}

/** Lists the posted row, not before the pending one, which the bank lists further on. */
function postBeside(bank: Bank, { days: later, variant }: Chance, one: Purchase): void {
  const before = lastOf(one)
  const row = { ...before, id: newId(bank), day: before.day + (later % 11), variant }
  const posted = { ...row, isPending: false }
  one.stale = one.handle
  one.handle = bank.feed.post(listed(bank, posted))
  show(one, posted)
}

/** Lists a pending row of a posted purchase, not after it. */
function pendAfterPosting(bank: Bank, { days: sooner, variant }: Chance, one: Purchase): void {
  const posted = lastOf(one)
  const id = variant % 2 === 0 ? newId(bank) : null
  const row = { ...posted, id, day: posted.day - (sooner % 11), variant }
  one.stale = bank.feed.pend(listed(bank, row))
  one.wasPending = true
}

/** Gives all rows other IDs, except those for which `idOf` returns null. */
function renewAll(bank: Bank, idOf: (one: Purchase) => string | null): void {
  for (const one of bank.purchases) {
    const { row } = one
    const id = row?.id && !one.isUnsure && one.stale === null ? idOf(one) : null
    if (!row || id === null) continue
    bank.feed.change(one.handle, { id })
    one.handle = id
    show(one, { ...row, id })
    one.formerId = row.id
  }
}

function change(bank: Bank, one: Purchase, to: Partial<Row>): void {
  const row = { ...lastOf(one), ...to }
  const { id, ...changed } = listed(bank, row)
  bank.feed.change(one.handle, changed)
  show(one, row)
}
