import { newPerson } from '../harness/person.ts'
import type { Deployment } from '../harness/process.ts'
import type { Fault } from '../providers/faults.ts'
import { plaidFaults } from '../providers/plaid/faults.ts'
import type { PlaidItem } from '../providers/plaid/item.ts'
import type { Plaid } from '../providers/plaid/plaid.ts'
import { privateText } from './feed-secrets.ts'

const domain = 'hooks.coffer.example'

/** Number of items. They show their parts of the answers at once: each sync waits for seconds. */
const itemCount = 4

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

/** Texts of links that only Coffer and Plaid may know; `tokens` are in no row either. */
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
 * Links items, whose answers and webhooks then show their secrets. Returns these, and all that the
 * persons and an operator see meanwhile.
 */
export async function syncItems(deployment: Place, plaid: Plaid): Promise<Linked> {
  plaid.webhooks.origin = deployment.baseUrl
  const linked = Array.from({ length: itemCount }, (_, turn) => syncItem(deployment, plaid, turn))
  const [first, ...others] = await Promise.all(linked)
  if (!first) throw new Error('no item is linked')
  const { secrets, seen } = first
  for (const [index, other] of others.entries()) {
    Object.assign(secrets.tokens, numbered(other.secrets.tokens, index + 2))
    Object.assign(secrets.names, numbered(other.secrets.names, index + 2))
    seen.push(...other.seen)
  }
  return first
}

type Place = Pick<Deployment, 'run' | 'baseUrl'>
type Linked = { secrets: LinkSecrets; seen: string[] }

const numbered = (texts: Record<string, string>, number: number) =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${name}${number}`, text]))

async function syncItem({ run, baseUrl }: Place, plaid: Plaid, turn: number): Promise<Linked> {
  const person = await newPerson(baseUrl)
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
  const { accessToken, itemId } = item
  const all: readonly (readonly [RegExp, Fault])[] = echoes(
    [plaid.secret, accessToken, itemId].join('|'),
  )
  for (const [path, fault] of all.filter((_, index) => index % itemCount === turn)) {
    item.fault(path, fault)
    await look()
    item.fault(path, null)
  }
  await see('POST', '/aggregator/link/sync', { linkId })
  item.webhook = `https://${domain}/api/aggregator/webhook`
  if (turn === 0) await receiveWebhooks(plaid, item)
  await look()
  await see('GET', '/users/me/export')
  const tokens = { plaidSecret: plaid.secret, accessToken, publicToken, linkToken }
  return { secrets: { tokens, names: { itemId, webhookUrl: item.webhook } }, seen }
}

/** Sends each webhook twice; one of them lets Coffer send a mail. */
async function receiveWebhooks(plaid: Plaid, item: PlaidItem): Promise<void> {
  for (const code of ['NEW_ACCOUNTS_AVAILABLE', 'ERROR', 'LOGIN_REPAIRED'] as const) {
    const webhook = plaid.webhooks.create(item, code)
    const statuses = [await plaid.webhooks.send(webhook), await plaid.webhooks.send(webhook)]
    if (statuses.join() !== '200,401') throw new Error(`the webhook ${code} got ${statuses}`)
  }
}
