import type { MatchReason } from '../book/provider-record.ts'
import { type AccountItem, currentIdOf, type SyncedAccount } from './provider-account.ts'

/** The bank account that matches a provider's item, and the reason; null if none matches. */
export type AccountMatch = { synced: SyncedAccount; reason: MatchReason } | null

/**
 * Returns the bank account that matches each item of a provider's list, or null
 * (docs/syncs.md#bank-accounts). Only a complete list may match by similarity.
 */
export function matchAccounts(
  items: readonly AccountItem[],
  { known, isComplete }: { known: readonly SyncedAccount[]; isComplete: boolean },
): Map<AccountItem, AccountMatch> {
  const matches = new Map<AccountItem, AccountMatch>(items.map((item) => [item, null]))
  const free = new Set(known)
  // Each rule is applied to all items before the next rule: an earlier rule takes precedence.
  for (const find of [byCandidate, byCurrentId, byAlias]) {
    for (const item of items.filter((one) => matches.get(one) === null)) {
      const synced = find(item, [...free])
      if (synced !== null && free.delete(synced)) {
        matches.set(item, { synced, reason: 'new' })
      }
    }
  }
  for (const isAlike of isComplete ? [areTwins, areRelated] : []) {
    const strangers = items.filter((item) => matches.get(item) === null)
    const left = [...free].filter(isOpen)
    for (const item of strangers) {
      const [synced, ...others] = left.filter((one) => isAlike(item, one))
      const rivals = strangers.filter((other) => synced && isAlike(other, synced))
      if (synced && others.length === 0 && rivals.length === 1) {
        free.delete(synced)
        matches.set(item, { synced, reason: 're-consent' })
      }
    }
  }
  return matches
}

function byCandidate(item: AccountItem, known: readonly SyncedAccount[]): SyncedAccount | null {
  const { feedBankAccountId } = item
  const made = known.filter(
    ({ bankAccount }) =>
      feedBankAccountId !== null && bankAccount.feedBankAccountId === feedBankAccountId,
  )
  return made.find(({ bankAccount }) => bankAccount.deletedAt === null) ?? made[0] ?? null
}

function byCurrentId(item: AccountItem, known: readonly SyncedAccount[]): SyncedAccount | null {
  return known.find((one) => currentIdOf(one) === item.providerAccountId) ?? null
}

function byAlias(item: AccountItem, known: readonly SyncedAccount[]): SyncedAccount | null {
  const ids = [item.providerAccountId, ...item.aliases]
  return (
    known.find(({ aliases }) => aliases.some((one) => ids.includes(one.providerAccountId))) ?? null
  )
}

/** Returns whether a bank account may match by similarity (docs/syncs.md#bank-accounts). */
function isOpen({ bankAccount, record }: SyncedAccount): boolean {
  return bankAccount.deletedAt === null && record !== null
}

function areTwins(item: AccountItem, synced: SyncedAccount): boolean {
  const { record } = synced
  return areOfOneKind(item, synced) && item.mask === record?.mask && item.name === record.name
}

function areRelated(item: AccountItem, synced: SyncedAccount): boolean {
  return areOfOneKind(item, synced) && item.mask !== null && item.mask === synced.record?.mask
}

function areOfOneKind(item: AccountItem, { record }: SyncedAccount): boolean {
  return (
    item.currency === record?.currency &&
    item.accountType === record.accountType &&
    item.accountSubType === record.accountSubType
  )
}
