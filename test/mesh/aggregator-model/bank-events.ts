import { type Chance, choose } from '../sync-model/chance.ts'
import { appear, disappear, renew, renewIds } from './account-events.ts'
import { accountOf, type Bank, bankOf, days, inUnits, listed, nextOf, rowOf } from './bank.ts'
import { hide, lastOf, type Purchase, type Row, show } from './purchase.ts'

type Event =
  | { fits: null; happen: (bank: Bank, chance: Chance) => unknown }
  | {
      fits: (one: Purchase) => boolean
      happen: (bank: Bank, chance: Chance, one: Purchase) => void
    }

/** All events at the bank. Each chooses one of the purchases that it fits. */
export const bankEvents = {
  pend: {
    fits: null,
    happen: (bank, chance) => buy(bank, chance, { ...rowOf(bank, chance), isPending: true }),
  },
  post: { fits: null, happen: (bank, chance) => buy(bank, chance, rowOf(bank, chance)) },
  postForeign: {
    // A row in another currency than the account's is left out.
    fits: null,
    happen: (bank, chance) => {
      const account = accountOf(bank, chance)
      const row = listed(bank, account, rowOf(bank, chance))
      bankOf(bank, account).post({ ...row, currency: 'CHF' })
    },
  },
  settle: {
    fits: isPending,
    happen: (bank, chance, one) => {
      const row = settledRow(bank, one, chance)
      const { account } = one
      one.id = bankOf(bank, account).settle(one.id, listed(bank, account, row))
      one.delayed = 0
      show(one, row)
    },
  },
  settleWithTip: {
    fits: (one) => isPending(one) && one.delayed === 0 && isRead(one),
    happen: (bank, _, one) => {
      const { account, id } = one
      const before = lastOf(one)
      const amount = Math.sign(before.amount) * (1_000 + nextOf(bank))
      const row = { ...before, isPending: false, amount }
      bankOf(bank, account).remove(id)
      one.id = bankOf(bank, account).post(listed(bank, account, row))
      one.isTipped = true
      show(one, row)
    },
  },
  dropBeforePosting: {
    fits: (one) => isPending(one) && one.delayed === 0,
    happen: (bank, _, one) => {
      bankOf(bank, one.account).remove(one.id)
      hide(one)
    },
  },
  postDropped: {
    fits: ({ row, isCancelled }) => row === null && !isCancelled,
    happen: (bank, chance, one) => {
      const row = settledRow(bank, one, chance)
      const { account, id: pendingId } = one
      one.id = bankOf(bank, account).post({ ...listed(bank, account, row), pendingId })
      show(one, row)
    },
  },
  postBeside: {
    fits: (one) => isPending(one) && one.delayed === 0,
    happen: (bank, chance, one) => {
      const row = settledRow(bank, one, chance)
      const { account, id: pendingId } = one
      one.stale = pendingId
      one.id = bankOf(bank, account).post({ ...listed(bank, account, row), pendingId })
      show(one, row)
    },
  },
  postBeforePending: {
    fits: null,
    happen: (bank, chance) => {
      const pendingId = `later-${bank.item.itemId}-${nextOf(bank)}`
      const one = buy(bank, chance, rowOf(bank, chance), pendingId)
      one.stale = pendingId
      one.isUnlisted = true
    },
  },
  pendAfterPosting: {
    fits: ({ isUnlisted, row }) => isUnlisted && row !== null,
    happen: (bank, _, one) => {
      const { account, stale } = one
      bankOf(bank, account).pend({ ...listed(bank, account, lastOf(one)), id: stale ?? '' })
      one.isUnlisted = false
    },
  },
  dropStale: {
    fits: ({ stale, isUnlisted }) => stale !== null && !isUnlisted,
    happen: (bank, _, one) => {
      bankOf(bank, one.account).remove(one.stale ?? '')
      one.stale = null
    },
  },
  changeAmount: {
    fits: isChangeable,
    happen: (bank, _, one) => {
      const { amount } = lastOf(one)
      change(bank, one, { amount: Math.sign(amount) * (1_000 + nextOf(bank)) })
    },
  },
  changeDay: {
    fits: isChangeable,
    happen: (bank, { days: day }, one) => change(bank, one, { day: day % days }),
  },
  changeText: {
    fits: isChangeable,
    happen: (bank, _, one) => change(bank, one, { text: nextOf(bank) }),
  },
  cancel: {
    fits: isChangeable,
    happen: (bank, _, one) => {
      bankOf(bank, one.account).remove(one.id)
      one.isCancelled = true
      hide(one)
    },
  },
  delay: {
    // Only an unread transaction can be delayed.
    fits: (one) => isChangeable(one) && one.isNew && one.delayed === 0,
    happen: (bank, _, one) => {
      bankOf(bank, one.account).delay(one.id, 1)
      one.delayed = 2
    },
  },
  reorder: { fits: null, happen: ({ item }, { pick }) => item.reorder(pick) },
  setBalance: {
    fits: null,
    happen: (bank, chance) => {
      const account = accountOf(bank, chance)
      account.balance = chance.pick * 100 + nextOf(bank)
      account.balances.push(account.balance)
      const units = inUnits(account, account.balance)
      bankOf(bank, account).setBalances({ current: units, available: units })
    },
  },
  disappear: { fits: null, happen: disappear },
  appear: { fits: null, happen: appear },
  renew: { fits: null, happen: renew },
  renewIds: { fits: null, happen: renewIds },
  refuseCursors: {
    fits: null,
    happen: ({ item, accounts, purchases }) => {
      // After a renewed consent, a client would not learn which former IDs were removed.
      if (purchases.some(({ isRenewed }) => isRenewed)) return false
      item.refuseCursors()
      for (const one of accounts) one.isRefused = true
      for (const one of purchases) one.mayStay ||= one.row === null
      return true
    },
  },
} satisfies Record<string, Event>

export type BankEvent = keyof typeof bankEvents

/** Lets an event happen; returns whether there is something that it fits. */
export function happen(bank: Bank, kind: BankEvent, chance: Chance): boolean {
  const event: Event = bankEvents[kind]
  if (event.fits === null) return event.happen(bank, chance) !== false
  const listedOnly = bank.purchases.filter(({ account }) => !account.isHidden || chance.pick % 2)
  const one = choose(listedOnly.filter(event.fits), chance.pick)
  if (!one) return false
  event.happen(bank, chance, one)
  return true
}

function isChangeable({ row, stale }: Purchase): boolean {
  return row !== null && stale === null
}

function isPending(one: Purchase): boolean {
  return isChangeable(one) && one.row?.isPending === true
}

function buy(bank: Bank, chance: Chance, row: Row, pendingId?: string): Purchase {
  const account = accountOf(bank, chance)
  const as = { ...listed(bank, account, row), ...(pendingId ? { pendingId } : {}) }
  const at = bankOf(bank, account)
  const one: Purchase = {
    account,
    id: row.isPending ? at.pend(as) : at.post(as),
    stale: null,
    isUnlisted: false,
    isNew: true,
    row,
    seen: [row],
    mayLack: true,
    delayed: 0,
    isCancelled: false,
    isRenewed: false,
    isTipped: false,
    mayStay: false,
    transactionId: null,
  }
  bank.purchases.push(one)
  return one
}

/** Whether a whole sync has read it, and nothing has changed since. */
function isRead({ transactionId, isRenewed, account, seen }: Purchase): boolean {
  const isPlain = !isRenewed && !account.isRefused && !account.isHidden
  return isPlain && transactionId !== null && seen.length === 1
}

const postingDays = [-1, 0, 1, 2, 5, 12]

/** Returns the posted row of a pending one. Some have another amount, day or text. */
function settledRow(bank: Bank, one: Purchase, { days: later, variant }: Chance): Row {
  const before = lastOf(one)
  const isCorrected = variant % 4 === 3
  return {
    amount: isCorrected ? Math.sign(before.amount) * (1_000 + nextOf(bank)) : before.amount,
    day: before.day + (choose(postingDays, later) ?? 0),
    isPending: false,
    text: variant % 3 === 2 ? nextOf(bank) : before.text,
  }
}

function change(bank: Bank, one: Purchase, to: Partial<Row>): void {
  const row = { ...lastOf(one), ...to }
  bankOf(bank, one.account).change(one.id, listed(bank, one.account, row))
  show(one, row)
}
