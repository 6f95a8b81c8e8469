import type { ProviderAccount } from '@coffer/proto/ledger/v1/sync_import'
import type { BankAccount } from '../book/bank-account.ts'
import { atLeastZero } from '../book/money.ts'
import type { AccountAlias, AccountRecord } from '../book/provider-record.ts'
import {
  nameOf,
  rawOf,
  requireAmounts,
  requireBatch,
  requireIds,
  requireRaw,
} from './provider-item.ts'

/** A bank account with its aliases and its provider record, which is null before the first sync. */
export type SyncedAccount = {
  bankAccount: BankAccount
  record: AccountRecord | null
  aliases: readonly AccountAlias[]
}

/** A validated bank account from a provider; balances in minor units, null if not stated. */
export type AccountItem = {
  providerAccountId: string
  aliases: readonly string[]
  name: string
  officialName: string
  mask: string | null
  currency: string
  accountType: string
  accountSubType: string
  available: bigint | null
  current: bigint | null
  limit: bigint | null
  feedBankAccountId: string | null
  raw: string | null
}

/**
 * Returns the validated bank accounts of a provider, with overlong texts cut off. Of items with an
 * equal ID the last counts; an alias of several items belongs to the first. Throws `invalid` for
 * too many items, or an item with an invalid ID or amount, or too much JSON.
 */
export function readAccounts(accounts: readonly ProviderAccount[]): AccountItem[] {
  requireBatch({ accounts: accounts.length })
  const items = itemsOf(accounts)
  const last = new Map(items.map((item) => [item.providerAccountId, item]))
  const named = new Set(last.keys())
  return [...last.values()].map((item) => {
    const aliases = item.aliases.filter((alias) => !named.has(alias) && named.add(alias))
    return { ...item, aliases }
  })
}

/** Returns the bank account's current ID at the provider; '' if it has none. */
export function currentIdOf({ aliases }: Pick<SyncedAccount, 'aliases'>): string {
  return aliases.find(({ isCurrent }) => isCurrent)?.providerAccountId ?? ''
}

function itemsOf(accounts: readonly ProviderAccount[]): AccountItem[] {
  return accounts.map((one, index) => {
    const { providerAccountId, aliases, raw } = one
    requireIds({ providerAccountId, feedBankAccountId: one.feedBankAccountId }, ['accounts', index])
    requireIds(Object.fromEntries(aliases.entries()), ['accounts', index, 'aliases'])
    requireRaw(raw, ['accounts', index])
    const { availableBalance, currentBalance, limitBalance } = one
    requireAmounts({ availableBalance, currentBalance, limitBalance }, ['accounts', index])
    return {
      providerAccountId,
      aliases,
      name: nameOf(one.name) || nameOf(one.officialName) || 'Account',
      officialName: nameOf(one.officialName),
      mask: nameOf(one.mask ?? '') || null,
      currency: one.currency,
      accountType: one.accountType,
      accountSubType: one.accountSubType,
      available: availableBalance ?? null,
      current: currentBalance ?? null,
      limit: limitBalance === undefined ? null : atLeastZero(limitBalance),
      feedBankAccountId: one.feedBankAccountId ?? null,
      raw: rawOf(raw),
    }
  })
}
