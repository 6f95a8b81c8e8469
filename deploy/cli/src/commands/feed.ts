import { type Coffer, createClient } from '@coffer/client'
import type { FeedBankAccount } from '@coffer/client/types'
import type { Environment } from '@coffer/host/settings'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { savedDemo } from '../demo/person.ts'
import { explain, requireServer } from '../rest/server.ts'
import { readConfig } from '../settings/environment.ts'
import { showSync } from './feed-progress.ts'

/** URL of the server, and the API key for its requests (`id:secret`). */
export type ServerOptions = { server?: string; apiKey?: string }

/**
 * `coffer feed:link`: links the bank accounts that a feed provider offers. Throws FatalError with
 * the remedy when the server or the provider refuses; the connection is then `pending`, and removed
 * after a day.
 */
export async function linkFeed(
  options: ServerOptions & { url: string; key: string; name: string },
  env: Environment,
): Promise<undefined> {
  const { baseUrl, credential, coffer } = await callServer(options, env)
  const linkId = await explain(link(coffer, options), 'The feed could not be linked', hints)
  const sync = `curl -u ${credential} ${baseUrl}/api/feed/link/sync`
  const body = `-H 'content-type: application/json' -d '{"linkId":"${linkId}"}'`
  console.log('\nSync it, and watch:')
  console.log(`  ${sync} ${body}`)
  console.log(`  npm run coffer -- feed:watch ${linkId}`)
}

/** Links the bank accounts of a provider, and prints them. Returns the ID of the link. */
async function link(
  coffer: Coffer,
  { url: feedURL, key: apiKey, name }: { url: string; key: string; name: string },
): Promise<string> {
  const stored = coffer.createFeedLink({ body: { name, feedURL, apiKey } })
  const { feedLinkId } = (
    await explain(stored, 'The feed link could not be created', {
      ...hints,
      404: 'Set COFFER_FEED_ENABLED=true, and restart the server.',
    })
  ).data
  const candidates = await findCandidates(coffer, feedLinkId)
  const { data: created } = await coffer.createLink({ body: { institutionName: name, feedLinkId } })
  const { linkId, institutionName } = created
  console.log(`Link           ${linkId}   ${institutionName}`)
  for (const { feedBankAccountId, name: label, currency, currentBalance } of candidates) {
    const { data: account } = await coffer.createBankAccount({
      body: {
        linkId,
        feedBankAccountId,
        name: label,
        accountType: 'depository',
        accountSubType: 'checking',
        currency,
        currentBalance,
        availableBalance: currentBalance,
      },
    })
    console.log(`Bank account   ${account.bankAccountId}   ${account.name}`)
  }
  return linkId
}

/**
 * `coffer feed:watch`: prints the state of the syncs of a feed link, and the progress of a running
 * or due sync. Returns 1 if a bank account is not synced. Throws FatalError when the server refuses
 * or breaks a socket.
 */
export async function watchFeed(
  { linkId, ...options }: ServerOptions & { linkId: string },
  env: Environment,
): Promise<number> {
  const { coffer } = await callServer(options, env)
  await requireFeedLink(coffer, linkId)
  const { data: accounts } = await coffer.listBankAccounts({ query: { link_id: linkId } })
  const watched = accounts ?? []
  if (watched.length === 0) {
    throw new FatalError(`The link ${linkId} has no bank account: create one, then watch it.`)
  }
  return showSync(coffer, linkId, watched)
}

async function callServer({ server, apiKey }: ServerOptions, env: Environment) {
  const { dataDir, port } = readConfig(env)
  const credential = apiKey ?? credentialOfDemo(dataDir)
  const baseUrl = await requireServer(server ?? `http://127.0.0.1:${port}`)
  return { baseUrl, credential, coffer: createClient({ baseUrl, key: credential }) }
}

function credentialOfDemo(dataDir: string): string {
  const key = savedDemo(dataDir)?.key
  if (!key) throw new FatalError('No API key: give one with --api-key, or load "coffer demo".')
  return `${key.apiKeyId}:${key.secret}`
}

/** Next steps of the user after a refusal, by status. */
const hints = { 401: 'Give an API key of Coffer with --api-key.' }

/** Throws FatalError unless the link is a feed link that is not deleted. */
async function requireFeedLink(coffer: Coffer, linkId: string): Promise<void> {
  const hint = 'GET /api/links lists the links.'
  const found = await explain(
    coffer.getLink({ path: { linkId } }),
    `The link ${linkId} cannot be watched`,
    { ...hints, 400: hint, 404: hint },
  )
  const { linkType, deletedAt } = found.data
  if (deletedAt !== null) throw new FatalError(`The link ${linkId} was deleted.`)
  if (linkType === 'feed') return
  const instead = linkType === 'aggregator' ? `use "coffer sync ${linkId}"` : 'it has no syncs'
  throw new FatalError(`The link ${linkId} is of type ${linkType}, not of a feed: ${instead}.`)
}

/**
 * Makes the server refresh the list of the provider; returns the bank accounts that it can sync.
 */
async function findCandidates(coffer: Coffer, feedLinkId: string): Promise<FeedBankAccount[]> {
  const path = { feedLinkId }
  await explain(
    coffer.refreshFeedBankAccounts({ path }),
    'The bank accounts of the feed could not be read',
    { ...hints, 500: 'Check --url and --key at the provider, then run the command again.' },
  )
  const { data: offered } = await coffer.listFeedBankAccounts({ path })
  const candidates = offered.filter(({ feedStatus }) => feedStatus === 'ACTIVE').reverse()
  if (candidates.length === 0) throw new FatalError('The feed provider offers no bank account.')
  return candidates
}
