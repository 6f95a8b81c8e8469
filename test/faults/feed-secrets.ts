import type { Broker } from '@coffer/kit/events/broker'
import { type Json, newPerson } from '../harness/person.ts'
import type { Deployment } from '../harness/process.ts'
import type { Fault } from '../providers/faults.ts'
import { faults } from '../providers/feed-faults.ts'
import { linkFeed } from '../providers/linked-feed.ts'
import { feedAccount, type LunchFlow, startLunchFlow } from '../providers/lunch-flow.ts'

/** Text of a transaction, which only its owner may read. */
export const privateText = 'Clinic of Doctor Private'

/** Number of links. They see their parts of the answers at once: each sync waits for seconds. */
const linkCount = 4

/** Answers by which a provider shows its key: errors, redirects, bodies that are no answers. */
function echoes(key: string, url: string) {
  const elsewhere = `http://127.0.0.1:1/?key=${key}`
  return [
    [/accounts$/, faults.status(401, JSON.stringify({ error: `no such key: ${key}` }))],
    [/accounts$/, faults.status(500, `${'.'.repeat(190)}${key}`)],
    [/accounts$/, faults.redirect(elsewhere, 302)],
    [/accounts$/, faults.redirect(`${url}/${key}`, 307)],
    [/accounts$/, faults.body(`{"accounts":${key}`)],
    [/accounts$/, faults.body(`{"accounts":[{"id":"1","status":"${key}"}],"${key}":1}`)],
    [/transactions/, faults.status(418, `<p>${key}</p>`)],
    [/transactions/, faults.body(`["${key}"]`)],
    [/balance$/, faults.status(403, key)],
    [/balance$/, faults.body(`{"balance":{"amount":"${key}","currency":"USD"}}`)],
    [/balance$/, faults.body(`{"balance":{"amount":1,"currency":"${key}"}}`)],
  ] as const
}

/** Starts the providers of `syncFeed`, which have the same API key. */
export function startProviders(apiKey: string): Promise<LunchFlow[]> {
  return Promise.all(Array.from({ length: linkCount }, () => startLunchFlow({ apiKey })))
}

/**
 * Syncs a link to each provider, which then shows the API key in one answer after the other.
 * Returns all that the persons and an operator see meanwhile.
 */
export async function syncFeed(
  deployment: Pick<Deployment, 'run' | 'baseUrl'>,
  providers: LunchFlow[],
): Promise<string[]> {
  const seen = providers.map((provider, turn) => {
    const all = echoes(provider.apiKey, provider.url)
    const own = all.filter((_, index) => index % providers.length === turn)
    return syncLink(deployment, provider, own)
  })
  return (await Promise.all(seen)).flat()
}

async function syncLink(
  { run, baseUrl }: Pick<Deployment, 'run' | 'baseUrl'>,
  provider: LunchFlow,
  shown: readonly (readonly [RegExp, Fault])[],
): Promise<string[]> {
  const person = await newPerson(baseUrl)
  provider.accounts.push(feedAccount('1'))
  const date = new Date().toISOString().slice(0, 10)
  provider.bank('1').post({ date, amount: '-1', merchant: privateText })
  const { linkId, feedLinkId, bankAccountId } = await linkFeed(person, provider, '1')
  const seen: string[] = []
  const look = async () => {
    seen.push((await run('sync', linkId)).output)
    const paths = [`/links/${linkId}`, `/links/${linkId}/health`, `/feed/link/${feedLinkId}`]
    for (const path of paths) seen.push(JSON.stringify(await person.get(path)))
    const refresh = `/feed/link/${feedLinkId}/bank_accounts/refresh`
    seen.push(JSON.stringify((await person.call('POST', refresh)).body))
  }
  await look()
  for (const [path, fault] of shown) {
    provider.fault(path, fault)
    await look()
    provider.fault(path, null)
  }
  const listed: Json[] = await person.get(`/bank_accounts/${bankAccountId}/transactions`)
  if (listed[0]?.name !== privateText) throw new Error('the sync did not import the transaction')
  return seen
}

/** Collects the progress of syncs, which NATS does not store. */
export function collectProgress({ connection, subject }: Broker): string[] {
  const frames: string[] = []
  connection.subscribe(subject('progress.>'), {
    callback: (_error, message) => void frames.push(message.string()),
  })
  return frames
}
