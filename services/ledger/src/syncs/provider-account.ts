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
} from './provider-row.ts'

/** A bank account with its aliases and its provider record, which is null before the first sync. */
export type SyncedAccount = {
  bankAccount: BankAccount
  record: AccountRecord | null
  aliases: readonly AccountAlias[]
}

/** A validated bank account from a provider; balances in minor units, null if not stated. */
export type AccountRow = {
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
 * Returns the validated bank accounts of a provider, with overlong texts cut off. If rows have
 * equal IDs, the last row counts; an alias of several rows belongs to the first. Throws `invalid`
 * for too many rows, an invalid ID or amount, or too much JSON.
 */
export function readAccounts(accounts: readonly ProviderAccount[]): AccountRow[] {
  requireBatch({ accounts: accounts.length })
  const rows = rowsOfMessages(accounts)
  const last = new Map(rows.map((row) => [row.providerAccountId, row]))
  const named = new Set(last.keys())
  return [...last.values()].map((row) => {
    const aliases = row.aliases.filter((alias) => !named.has(alias) && named.add(alias))
    return { ...row, aliases }
  })
}

/** Returns the bank account's current ID at the provider; '' if it has none. */
export function currentIdOf({ aliases }: Pick<SyncedAccount, 'aliases'>): string {
  return aliases.find(({ isCurrent }) => isCurrent)?.providerAccountId ?? ''
}

function rowsOfMessages(accounts: readonly ProviderAccount[]): AccountRow[] {
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
