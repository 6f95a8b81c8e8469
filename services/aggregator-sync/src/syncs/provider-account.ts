import { parseBalance } from '@coffer/sync-kit/balance'
import type { UpstreamAccount } from '../provider/aggregator.ts'

const currencyDefault = 'USD'

/**
 * Converts an account of the aggregator to one that the ledger takes (`ProviderAccount` in
 * sync_import.proto). A missing balance counts as 0. Balances are left out that `parseBalance` does
 * not accept, and in a currency outside of ISO 4217: the ledger has no decimal places for it.
 */
export function toProviderAccount(account: UpstreamAccount) {
  const currency = account.currency ?? currencyDefault
  const isForeign = account.currency === null && account.unofficialCurrency !== null
  const balanceOf = (text: string | null): bigint | undefined =>
    isForeign ? undefined : (parseBalance(text ?? '0', currency) ?? undefined)
  const stated = {
    mask: account.mask ?? undefined,
    availableBalance: balanceOf(account.available),
    currentBalance: balanceOf(account.current),
    limitBalance: balanceOf(account.limit),
    raw: account.raw ?? undefined,
  }
  return {
    providerAccountId: account.accountId,
    aliases: account.persistentId === null ? [] : [account.persistentId],
    name: account.name,
    officialName: account.officialName,
    currency,
    accountType: account.type,
    accountSubType: account.subtype ?? '',
    ...(Object.fromEntries(
      Object.entries(stated).filter(([, value]) => value !== undefined),
    ) as Stated<typeof stated>),
  }
}

type Stated<Fields> = { [Name in keyof Fields]?: NonNullable<Fields[Name]> }
