import type { Person } from '../harness/person.ts'
import type { PlaidItem } from './plaid/item.ts'
import type { Plaid } from './plaid/plaid.ts'

/** Links all bank accounts of a new item to a person's account, as a page with Link would. */
export async function linkAggregator(
  person: Person,
  plaid: Plaid,
): Promise<{ linkId: string; item: PlaidItem }> {
  const token = await person.call('GET', '/aggregator/token/new', { asSession: true })
  if (token.status !== 200) throw new Error(`${token.status}: ${JSON.stringify(token.body)}`)
  const { publicToken, item } = plaid.completeLink(token.body.linkToken)
  const { institutionId } = item
  const accountIds = item.accounts().map(({ account_id }) => account_id)
  const body = { publicToken, institutionId, accountIds }
  const path = '/aggregator/token/callback'
  const created = await person.call('POST', path, { asSession: true, body })
  if (created.status !== 200) throw new Error(`${created.status}: ${JSON.stringify(created.body)}`)
  return { linkId: created.body.linkId, item }
}

/** Returns the settings of a server that links banks of the simulated Plaid, with webhooks. */
export function aggregatorSettings({ url, clientId, secret }: Plaid): Record<string, string> {
  return {
    COFFER_AGGREGATOR_ENABLED: 'true',
    COFFER_AGGREGATOR_URL: url,
    COFFER_AGGREGATOR_LINK_URL: `${url}/link/v2/stable/link-initialize.js`,
    COFFER_AGGREGATOR_CLIENT_ID: clientId,
    COFFER_AGGREGATOR_CLIENT_SECRET: secret,
    COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true',
    COFFER_AGGREGATOR_WEBHOOKS_DOMAIN: 'coffer.example',
  }
}
