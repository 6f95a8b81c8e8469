import { toMessage } from '@coffer/kit/rpc/message'
import { type ProviderAccount, ProviderAccountSchema } from '@coffer/proto/ledger/v1/sync_import'
import { parseBalance } from '@coffer/sync-kit/provider/row-values'
import type { UpstreamAccount } from '../provider/aggregator.ts'

const currencyDefault = 'USD'

/**
 * Converts an account of the aggregator for an import by the ledger. A missing balance counts as 0.
 * Leaves out balances that `parseBalance` rejects, and balances in a currency outside of ISO 4217,
 * whose decimal places are unknown.
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
