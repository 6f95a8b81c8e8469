import type { ServiceDeps } from '@coffer/kit/service/service'
import type { OpenItem } from '../provider/aggregator.ts'
import { findToken } from './aggregator-link.sql.ts'
import { type LinkKey, tokenOwnerOf } from './aggregator-link.ts'

/** Returns the item of a link with its access token; null if the link has none. */
export async function openItem(
  { database, secrets }: Pick<ServiceDeps, 'database' | 'secrets'>,
  { accountId, linkId }: LinkKey,
): Promise<OpenItem | null> {
  const key = { accountId, linkId }
  const sealed = await findToken(database, key, 'access')
  return sealed && { ...key, accessToken: await secrets.open(sealed, tokenOwnerOf(key)) }
}
