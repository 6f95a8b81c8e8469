import type { MatchReason } from '../book/provider-record.ts'
import { type AccountRow, currentIdOf, type SyncedAccount } from './provider-account.ts'

/** The bank account that matches a provider's row, and the reason; null if none matches. */
export type AccountMatch = { synced: SyncedAccount; reason: MatchReason } | null

/**
 * Returns the bank account that matches each row of a provider's list, or null
 * (docs/syncs.md#bank-accounts). Only a complete list may match by similarity.
 */
export function matchAccounts(
  rows: readonly AccountRow[],
  { known, isComplete }: { known: readonly SyncedAccount[]; isComplete: boolean },
): Map<AccountRow, AccountMatch> {
  const matches = new Map<AccountRow, AccountMatch>(rows.map((row) => [row, null]))
  const free = new Set(known)
  // Each rule is applied to all rows before the next rule: an earlier rule takes precedence.
  for (const find of [byCandidate, byCurrentId, byAlias]) {
    for (const row of rows.filter((one) => matches.get(one) === null)) {
      const synced = find(row, [...free])
      if (synced !== null && free.delete(synced)) {
        matches.set(row, { synced, reason: 'new' })
      }
    }
  }
  for (const isAlike of isComplete ? [areTwins, areRelated] : []) {
    const strangers = rows.filter((row) => matches.get(row) === null)
    const left = [...free].filter(isOpen)
    for (const row of strangers) {
      const [synced, ...others] = left.filter((one) => isAlike(row, one))
      const rivals = strangers.filter((other) => synced && isAlike(other, synced))
      if (synced && others.length === 0 && rivals.length === 1) {
        free.delete(synced)
        matches.set(row, { synced, reason: 're-consent' })
      }
    }
  }
  return matches
}

function byCandidate(row: AccountRow, known: readonly SyncedAccount[]): SyncedAccount | null {
  const { feedBankAccountId } = row
  const made = known.filter(
    ({ bankAccount }) =>
      feedBankAccountId !== null && bankAccount.feedBankAccountId === feedBankAccountId,
  )
  return made.find(({ bankAccount }) => bankAccount.deletedAt === null) ?? made[0] ?? null
}

function byCurrentId(row: AccountRow, known: readonly SyncedAccount[]): SyncedAccount | null {
  return known.find((one) => currentIdOf(one) === row.providerAccountId) ?? null
}

function byAlias(row: AccountRow, known: readonly SyncedAccount[]): SyncedAccount | null {
  const ids = [row.providerAccountId, ...row.aliases]
  return (
    known.find(({ aliases }) => aliases.some((one) => ids.includes(one.providerAccountId))) ?? null
  )
}

/** Returns whether a bank account may match by similarity (docs/syncs.md#bank-accounts). */
function isOpen({ bankAccount, record }: SyncedAccount): boolean {
  return bankAccount.deletedAt === null && record !== null
}

function areTwins(row: AccountRow, synced: SyncedAccount): boolean {
  const { record } = synced
  return areOfOneKind(row, synced) && row.mask === record?.mask && row.name === record.name
}

function areRelated(row: AccountRow, synced: SyncedAccount): boolean {
  return areOfOneKind(row, synced) && row.mask !== null && row.mask === synced.record?.mask
}

function areOfOneKind(row: AccountRow, { record }: SyncedAccount): boolean {
  return (
    row.currency === record?.currency &&
    row.accountType === record.accountType &&
    row.accountSubType === record.accountSubType
  )
}
