import type { Person } from '../harness/person.ts'
import type { Deployment } from '../harness/process.ts'
import { plaidFaults } from '../providers/plaid/faults.ts'
import type { Plaid } from '../providers/plaid/plaid.ts'
import { privateText } from './feed-secrets.ts'

const domain = 'hooks.coffer.example'

/** Settings of a deployment that calls the simulated Plaid. */
export function aggregatorSettings(plaid: Plaid): Record<string, string> {
  return {
    COFFER_AGGREGATOR_ENABLED: 'true',
    COFFER_AGGREGATOR_CLIENT_ID: plaid.clientId,
    COFFER_AGGREGATOR_CLIENT_SECRET: plaid.secret,
    COFFER_AGGREGATOR_URL: plaid.url,
    COFFER_AGGREGATOR_ITEM_CALLS_PER_MINUTE: '10000',
    COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true',
    COFFER_AGGREGATOR_WEBHOOKS_DOMAIN: domain,
  }
}

/** Texts of a link that only Coffer and Plaid may know; `tokens` are in no row either. */
export interface LinkSecrets {
  tokens: Record<string, string>
  names: Record<string, string>
}

/** Answers by which Plaid shows secrets: errors, redirects, bodies that are no answers. */
function echoes(secret: string) {
  const error = { error_type: 'API_ERROR', error_code: secret, error_message: `no ${secret}` }
  return [
    [/accounts/, plaidFaults.status(400, JSON.stringify(error))],
    [/accounts/, plaidFaults.status(500, JSON.stringify({ ...error, error_code: 'NEW_CODE' }))],
    [/accounts/, plaidFaults.redirect(`http://127.0.0.1:1/?token=${secret}`, 302)],
    [/accounts/, plaidFaults.body(`{"accounts":${secret}`)],
    [/sync$/, plaidFaults.status(418, `<p>${secret}</p>`)],
    [/sync$/, plaidFaults.body(`{"added":[{"transaction_id":"${secret}"}],"removed":[]}`)],
    [/transactions.get$/, plaidFaults.status(401, secret)],
    [/transactions.get$/, plaidFaults.body(`["${secret}"]`)],
  ] as const
}

/**
 * Links an item, whose answers and webhooks then show its secrets. Returns these, and all that the
 * person and an operator see meanwhile.
 */
export async function syncItem(
  { run, baseUrl }: Pick<Deployment, 'run' | 'baseUrl'>,
  person: Person,
  plaid: Plaid,
): Promise<{ secrets: LinkSecrets; seen: string[] }> {
  const asSession = { asSession: true }
  const { linkToken } = (await person.call('GET', '/aggregator/token/new', asSession)).body
  const { publicToken, item } = plaid.completeLink(linkToken)
  const accountIds = item.accounts().map((one) => one.account_id)
  const date = new Date().toISOString().slice(0, 10)
  item.bank(accountIds[0] ?? '').post({ date, amount: '1', name: privateText })
  const seen: string[] = []
  const see = async (method: string, path: string, body?: object) => {
    const answer = await person.call(method, path, { ...asSession, ...(body ? { body } : {}) })
    seen.push(`${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const refusedBody = { publicToken: `${publicToken}x`, accountIds }
  await see('POST', '/aggregator/token/callback', refusedBody)
  const { linkId } = await see('POST', '/aggregator/token/callback', { publicToken, accountIds })
  const look = async () => {
    seen.push((await run('sync', linkId)).output)
    for (const path of [`/links/${linkId}`, `/links/${linkId}/health`]) await see('GET', path)
  }
  await look()
  plaid.webhooks.origin = baseUrl
  const { accessToken, itemId } = item
  for (const [path, fault] of echoes([plaid.secret, accessToken, itemId].join('|'))) {
    item.fault(path, fault)
    await look()
    item.fault(path, null)
  }
  await see('POST', '/aggregator/link/sync', { linkId })
  item.webhook = `https://${domain}/api/aggregator/webhook`
  for (const code of ['NEW_ACCOUNTS_AVAILABLE', 'ERROR', 'LOGIN_REPAIRED'] as const) {
    const webhook = plaid.webhooks.create(item, code)
    const statuses = [await plaid.webhooks.send(webhook), await plaid.webhooks.send(webhook)]
    if (statuses.join() !== '200,401') throw new Error(`the webhook ${code} got ${statuses}`)
  }
  await look()
  await see('GET', '/users/me/export')
  const tokens = { plaidSecret: plaid.secret, accessToken, publicToken, linkToken }
  return { secrets: { tokens, names: { itemId, webhookUrl: item.webhook } }, seen }
}
