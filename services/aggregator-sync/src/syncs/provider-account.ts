import { toMessage } from '@coffer/kit/rpc/message'
import { type ProviderAccount, ProviderAccountSchema } from '@coffer/proto/ledger/v1/sync_import'
import { parseBalance } from '@coffer/sync-kit/provider/row-values'
import type { UpstreamAccount } from '../provider/aggregator.ts'

const currencyDefault = 'USD'

/**
 * Converts an account of the aggregator to one that the ledger takes. A missing balance counts as
 * 0. Balances are left out that `parseBalance` does not accept, and in a currency outside of ISO
 * 4217: the ledger has no decimal places for it.
 */
export function toProviderAccount(account: UpstreamAccount): ProviderAccount {
  const currency = account.currency ?? currencyDefault
  const isForeign = account.currency === null && account.unofficialCurrency !== null
  const balanceOf = (text: string | null) =>
    isForeign ? null : parseBalance(text ?? '0', currency)
  return toMessage(ProviderAccountSchema, {
    providerAccountId: account.accountId,
    aliases: account.persistentId === null ? [] : [account.persistentId],
    name: account.name,
    officialName: account.officialName,
    mask: account.mask,
    currency,
    accountType: account.type,
    accountSubType: account.subtype ?? '',
    availableBalance: balanceOf(account.available),
    currentBalance: balanceOf(account.current),
    limitBalance: balanceOf(account.limit),
    raw: account.raw,
  })
}
