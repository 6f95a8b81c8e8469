import { type AccountMatch, matchAccounts } from './account-match.ts'
import { type NewBalances, setBalances } from './balance-changes.ts'
import { AccountSubType, AccountType, type BankAccount } from './bank-account.ts'
import { openBankAccount } from './bank-account-change.ts'
import { type Operation, openBook, type Settlement, settle } from './book.ts'
import type { JournalEntry } from './journal.ts'
import type { Link } from './link.ts'
import type { AccountAlias, AccountItem, AccountRecord, SyncedAccount } from './provider-account.ts'
import { isSame } from './same.ts'

/** What a provider lists on a link, and what the ledger has there. */
export type AccountBatch = {
  link: Link
  operation: Operation
  items: readonly AccountItem[]
  known: readonly SyncedAccount[]
  /** IDs for new bank accounts: as many as there are items. */
  bankAccountIds: readonly string[]
  isComplete: boolean
  knownOnly: boolean
}

/** What is to be saved of it. */
export type AccountChanges = {
  inserted: BankAccount[]
  updated: BankAccount[]
  entries: JournalEntry[]
  records: AccountRecord[]
  aliases: AccountAlias[]
}

/** What became of an item. */
export type UpsertedAccount = { synced: SyncedAccount; isNew: boolean }

/**
 * Decides what a provider's list of bank accounts changes (spec/syncs.md 2.7, 2.8, 3.4): new ones
 * are made, known ones get their balances and original names and are active; those missing from a
 * complete list become inactive. Names stay the user's. Archived accounts stay as they are.
 */
export function upsertAccounts(batch: AccountBatch): {
  changes: AccountChanges
  upserted: UpsertedAccount[]
} {
  const { items, known, isComplete, knownOnly, operation } = batch
  const matches = matchAccounts(items, { known, isComplete })
  const changes: AccountChanges = {
    ...{ inserted: [], updated: [], entries: [], records: [], aliases: [] },
  }
  const upserted: UpsertedAccount[] = []
  for (const [index, item] of items.entries()) {
    const match = matches.get(item) ?? null
    if (match !== null || !knownOnly) {
      upserted.push(upsertOne(batch, changes, { item, index, match }))
    }
  }
  const listed = new Set([...matches.values()].map((match) => match?.synced))
  for (const { bankAccount } of isComplete ? known.filter((one) => !listed.has(one)) : []) {
    if (bankAccount.deletedAt === null && bankAccount.status !== 'inactive') {
      const inactive = { status: 'inactive', updatedAt: operation.now } as const
      changes.updated.push({ ...bankAccount, ...inactive })
    }
  }
  return { changes, upserted }
}

function upsertOne(
  batch: AccountBatch,
  changes: AccountChanges,
  { item, index, match }: { item: AccountItem; index: number; match: AccountMatch },
): UpsertedAccount {
  if (match !== null && match.synced.bankAccount.deletedAt !== null) {
    return { synced: match.synced, isNew: false }
  }
  const before = match?.synced.bankAccount ?? null
  const settlement = before === null ? open(batch, item, index) : refresh(batch, before, item)
  const { bankAccount } = settlement
  if (before === null) {
    changes.inserted.push(bankAccount)
  } else if (!isSame(before, bankAccount)) {
    changes.updated.push(bankAccount)
  }
  changes.entries.push(...settlement.entries)
  const record = recordOf(batch, { item, bankAccount, old: match?.synced.record ?? null })
  if (record !== match?.synced.record) {
    changes.records.push(record)
  }
  const aliases = aliasesOf(batch, { item, bankAccount, match })
  changes.aliases.push(...aliases.filter((one) => !match?.synced.aliases.includes(one)))
  return { synced: { bankAccount, record, aliases }, isNew: before === null }
}

function open({ link, operation, bankAccountIds }: AccountBatch, item: AccountItem, index: number) {
  const type = AccountType.safeParse(item.accountType)
  const subType = AccountSubType.safeParse(item.accountSubType)
  const body = {
    bankAccountId: bankAccountIds[index] ?? '',
    name: item.name,
    originalName: item.name,
    currency: item.currency,
    accountType: type.data ?? 'other',
    accountSubType: subType.data ?? 'other',
    status: 'active',
    availableBalance: item.available,
    currentBalance: item.current,
    limitBalance: item.limit,
    feedBankAccountId: item.feedBankAccountId,
    mask: item.mask !== null && [...item.mask].length === 4 ? item.mask : null,
  }
  return openBankAccount({ link, operation }, body)
}

/** What a provider says anew of an account; it counts as refreshed when something is different. */
function refresh(
  { operation }: AccountBatch,
  before: BankAccount,
  { name, currency, available, current, limit }: AccountItem,
): Settlement {
  // Balances in another currency say nothing of this account.
  const isOwn = currency === before.currency
  const stated = isOwn ? { available, current, limit } : {}
  const settlement = settleBalances({ bankAccount: before, operation }, stated)
  const isRenamed = name !== before.originalName
  const isActive = before.status === 'active'
  if (settlement === null && !isRenamed && isActive) {
    return { bankAccount: before, envelopes: [], entries: [] }
  }
  const { bankAccount, entries } = settlement ?? { bankAccount: before, entries: [] }
  const { now } = operation
  const lastUpdated = isRenamed ? now : bankAccount.lastUpdated
  const { version } = operation
  const seen = {
    originalName: name,
    status: 'active',
    lastUpdated,
    updatedAt: now,
    version,
  } as const
  return { bankAccount: { ...bankAccount, ...seen }, envelopes: [], entries }
}

/**
 * Sets those balances that a provider states otherwise than they are stored (spec/ledger.md 3.2);
 * null where there are none. Minor units; null is not stated.
 */
export function settleBalances(
  { bankAccount, operation }: { bankAccount: BankAccount; operation: Operation },
  stated: { available?: bigint | null; current?: bigint | null; limit?: bigint | null },
): Settlement | null {
  const { availableBalance, currentBalance, limitBalance, bankAccountId } = bankAccount
  const { available = null, current = null, limit = null } = stated
  const to: NewBalances = {
    ...(available === null || available === availableBalance ? {} : { available }),
    ...(current === null || current === currentBalance ? {} : { current }),
    ...(limit === null || limit === limitBalance ? {} : { limit }),
  }
  if (Object.keys(to).length === 0) {
    return null
  }
  const book = openBook({ bankAccount, envelopes: [], operation })
  setBalances(book, { to, cause: 'sync', causeId: bankAccountId })
  book.bankAccount.balancesAsOf = operation.now
  book.bankAccount.updatedAt = operation.now
  return settle(book)
}

function recordOf(
  { link, operation }: AccountBatch,
  {
    item,
    bankAccount,
    old,
  }: { item: AccountItem; bankAccount: BankAccount; old: AccountRecord | null },
): AccountRecord {
  const { accountId, bankAccountId } = bankAccount
  const record: AccountRecord = {
    accountId,
    bankAccountId,
    name: item.name,
    officialName: item.officialName,
    mask: item.mask,
    currency: item.currency,
    accountType: item.accountType,
    accountSubType: item.accountSubType,
    availableBalance: item.available ?? old?.availableBalance ?? 0n,
    currentBalance: item.current ?? old?.currentBalance ?? 0n,
    limitBalance: item.limit ?? old?.limitBalance ?? 0n,
    raw: item.raw,
    createdAt: old?.createdAt ?? operation.now,
    createdBy: old?.createdBy ?? link.createdBy,
    updatedAt: old?.updatedAt ?? operation.now,
  }
  return old !== null && isSame(old, record) ? old : { ...record, updatedAt: operation.now }
}

/** Every ID of the account, the one that the provider uses now marked. */
function aliasesOf(
  { link, operation }: AccountBatch,
  {
    item,
    bankAccount,
    match,
  }: { item: AccountItem; bankAccount: BankAccount; match: AccountMatch },
): AccountAlias[] {
  const { accountId, linkId } = link
  const known = match?.synced.aliases ?? []
  const names = new Set([item.providerAccountId, ...item.aliases])
  const fresh = [...names].filter((id) => !known.some((one) => one.providerAccountId === id))
  const marked = known.map((one) => {
    const isCurrent = one.providerAccountId === item.providerAccountId
    return one.isCurrent === isCurrent ? one : { ...one, isCurrent }
  })
  const added = fresh.map((providerAccountId) => ({
    ...{ accountId, linkId, providerAccountId, bankAccountId: bankAccount.bankAccountId },
    isCurrent: providerAccountId === item.providerAccountId,
    matchReason: match?.reason ?? ('new' as const),
    createdAt: operation.now,
  }))
  return [...marked, ...added]
}
