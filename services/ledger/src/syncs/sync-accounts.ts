import { isDeepStrictEqual } from 'node:util'
import { createBankAccount } from '../accounts/bank-account-change.ts'
import {
  AccountSubType,
  AccountType,
  type BankAccount,
  balanceFields,
} from '../book/bank-account.ts'
import type { Link } from '../book/link.ts'
import type { AccountAlias, AccountRecord, MatchReason } from '../book/provider-record.ts'
import {
  endOperation,
  type Operation,
  type Settlement,
  setBalances,
  startOperation,
} from '../money/operation.ts'
import type { Creation, Current, Decision } from '../money/unit-of-work.ts'
import type { AccountRow, SyncedAccount } from './provider-account.ts'

type Seen = { link: Link; row: AccountRow; operation: Operation }

/** Decides how a provider's row changes the matching bank account (docs/syncs.md). */
export function refreshAccount(
  { bankAccount: before, accountRecord: old, aliases: known, operation }: Current,
  { link, row, reason }: { link: Link; row: AccountRow; reason: MatchReason },
): Decision<SyncedAccount> {
  if (before.deletedAt !== null) {
    return { reply: { bankAccount: before, record: old, aliases: known } }
  }
  const seen = { link, row, operation }
  const settlement = settleRefresh(before, seen)
  const { bankAccount } = settlement
  const record = recordOf(seen, { bankAccount, old })
  const aliases = aliasesOf(seen, { bankAccount, known, reason })
  const fresh = aliases.filter((one) => !known.includes(one))
  const reply = { bankAccount, record, aliases }
  if (bankAccount === before && record === old && fresh.length === 0) return { reply }
  return { settlement, accountRecord: record, aliases: fresh, reply }
}

/** Makes a bank account inactive that a provider's complete list does not contain. */
export function deactivateAccount({ bankAccount, operation }: Current): Decision<null> {
  if (bankAccount.deletedAt !== null || bankAccount.status === 'inactive') return { reply: null }
  const inactive = { ...bankAccount, status: 'inactive', updatedAt: operation.now } as const
  return { settlement: { bankAccount: inactive, envelopes: [], entries: [] }, reply: null }
}

/** Decides the creation of a bank account for a provider's row that matches none. */
export function createSyncedAccount(seen: Seen, bankAccountId: string): Creation<SyncedAccount> {
  const { link, row, operation } = seen
  const type = AccountType.safeParse(row.accountType)
  const subType = AccountSubType.safeParse(row.accountSubType)
  const body = {
    bankAccountId,
    name: row.name,
    originalName: row.name,
    currency: row.currency,
    accountType: type.data ?? 'other',
    accountSubType: subType.data ?? 'other',
    status: 'active',
    availableBalance: row.available,
    currentBalance: signedBalance(link, row),
    limitBalance: row.limit,
    feedBankAccountId: row.feedBankAccountId,
    mask: row.mask !== null && [...row.mask].length === 4 ? row.mask : null,
  }
  const settlement = createBankAccount({ link, operation }, body)
  const { bankAccount } = settlement
  const record = recordOf(seen, { bankAccount, old: null })
  const aliases = aliasesOf(seen, { bankAccount, known: [], reason: 'new' })
  const reply = { bankAccount, record, aliases }
  return { settlement, accountRecord: record, aliases, reply }
}

/**
 * Returns the current balance to store. Debt is negative (docs/money.md#cards-and-loans), but the
 * aggregator states it as positive; a feed's balance is stored as sent.
 */
function signedBalance({ linkType }: Link, { current, accountType }: AccountRow): bigint | null {
  const isOwed = linkType === 'aggregator' && ['credit', 'loan'].includes(accountType)
  return isOwed && current !== null ? -current : current
}

/** Returns the rows after a sync; `before` itself is the bank account if nothing differs. */
function settleRefresh(before: BankAccount, { link, row, operation }: Seen): Settlement {
  const { name, currency, available, limit } = row
  // Balances in another currency are ignored.
  const isOwn = currency === before.currency
  const stated = isOwn ? { available, current: signedBalance(link, row), limit } : {}
  const settlement = settleBalances({ bankAccount: before, operation }, stated)
  const isRenamed = name !== before.originalName
  const isActive = before.status === 'active'
  const unchanged = { bankAccount: before, envelopes: [], entries: [] }
  if (settlement === null && !isRenamed && isActive) return unchanged
  const { bankAccount, entries } = settlement ?? unchanged
  const { now } = operation
  const lastUpdated = isRenamed ? now : bankAccount.lastUpdated
  const seen = { originalName: name, status: 'active', lastUpdated, updatedAt: now } as const
  return { bankAccount: { ...bankAccount, ...seen }, envelopes: [], entries }
}

/**
 * Returns the bank account and entries after the `stated` balances (in minor units, null if
 * unstated) are set (docs/money.md#balances); null if all equal the stored ones.
 */
export function settleBalances(
  { bankAccount, operation }: { bankAccount: BankAccount; operation: Operation },
  stated: { available?: bigint | null; current?: bigint | null; limit?: bigint | null },
): Settlement | null {
  const changed = (['available', 'current', 'limit'] as const).filter((pot) => {
    const balance = stated[pot] ?? null
    return balance !== null && balance !== bankAccount[balanceFields[pot]]
  })
  if (changed.length === 0) return null
  const to = Object.fromEntries(changed.map((pot) => [pot, stated[pot] ?? undefined]))
  const started = startOperation({ bankAccount, envelopes: [], operation })
  setBalances(started, { to, cause: 'sync', causeId: bankAccount.bankAccountId })
  started.bankAccount.balancesAsOf = operation.now
  started.bankAccount.updatedAt = operation.now
  return endOperation(started)
}

function recordOf(
  { link, row, operation }: Seen,
  { bankAccount, old }: { bankAccount: BankAccount; old: AccountRecord | null },
): AccountRecord {
  const { accountId, bankAccountId } = bankAccount
  const record: AccountRecord = {
    accountId,
    bankAccountId,
    name: row.name,
    officialName: row.officialName,
    mask: row.mask,
    currency: row.currency,
    accountType: row.accountType,
    accountSubType: row.accountSubType,
    availableBalance: row.available ?? old?.availableBalance ?? 0n,
    currentBalance: row.current ?? old?.currentBalance ?? 0n,
    limitBalance: row.limit ?? old?.limitBalance ?? 0n,
    raw: row.raw,
    createdAt: old?.createdAt ?? operation.now,
    createdBy: old?.createdBy ?? link.createdBy,
    updatedAt: old?.updatedAt ?? operation.now,
  }
  if (old !== null && isDeepStrictEqual(old, record)) return old
  return { ...record, updatedAt: operation.now }
}

/** Returns all aliases of the bank account, with the current one marked. */
function aliasesOf(
  { link, row, operation }: Seen,
  of: { bankAccount: BankAccount; known: readonly AccountAlias[]; reason: MatchReason },
): AccountAlias[] {
  const { accountId, linkId } = link
  const { bankAccountId } = of.bankAccount
  const names = new Set([row.providerAccountId, ...row.aliases])
  const fresh = [...names].filter((id) => !of.known.some((one) => one.providerAccountId === id))
  const marked = of.known.map((one) => {
    const isCurrent = one.providerAccountId === row.providerAccountId
    return one.isCurrent === isCurrent ? one : { ...one, isCurrent }
  })
  const added = fresh.map((providerAccountId) => ({
    accountId,
    linkId,
    providerAccountId,
    bankAccountId,
    isCurrent: providerAccountId === row.providerAccountId,
    matchReason: of.reason,
    createdAt: operation.now,
  }))
  return [...marked, ...added]
}
