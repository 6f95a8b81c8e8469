import { text } from 'node:stream/consumers'
import type { Environment } from '@coffer/host/settings'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { savedDemo } from '../demo/person.ts'
import { BankAccount, Link } from '../demo/replies.ts'
import { basic, createRest, Refused, type Rest, reasonIn, requireServer } from '../demo/rest.ts'
import { readConfig } from '../environment.ts'

const FeedLink = z.object({ feedLinkId: z.string() })
const Candidate = z.object({
  feedBankAccountId: z.string(),
  feedStatus: z.string(),
  name: z.string(),
  currency: z.string(),
  currentBalance: z.number(),
})
const WatchedLink = z.object({ linkType: z.string(), deletedAt: z.string().nullable() })

/** The server closes a socket after five minutes (docs/limits.md). */
const watchMs = 330_000
const handshakeTimeout = 30_000

const Frame = z.object({ status: z.string(), error: z.string().optional() })
type Frame = z.infer<typeof Frame>

/** The server to call, and the API key to call it with (`id:secret`). */
export type ServerOptions = { server?: string; apiKey?: string }

/**
 * `coffer feed:link`: links the bank accounts that a feed provider offers. Throws FatalError with
 * what to do when the server or the provider refuses; then the connection stays `pending`, and is
 * removed after a day.
 */
export async function linkFeed(
  options: ServerOptions & { url: string; key: string; name: string },
  env: Environment,
): Promise<undefined> {
  const { baseUrl, credential, rest } = await callServer(options, env)
  const { url: feedURL, key: apiKey, name } = options
  const stored = rest.post('/feed/link', { name, feedURL, apiKey }, FeedLink)
  const { feedLinkId } = await explain(stored, 'The feed link could not be created', {
    404: 'Set COFFER_FEED_ENABLED=true, and restart the server.',
  })
  const candidates = await findCandidates(rest, feedLinkId)
  const link = await rest.post('/links', { institutionName: name, feedLinkId }, Link)
  console.log(`Link           ${link.linkId}   ${link.institutionName}`)
  for (const { feedBankAccountId, name: label, currency, currentBalance } of candidates) {
    const created = await rest.post(
      '/bank_accounts',
      {
        linkId: link.linkId,
        feedBankAccountId,
        name: label,
        accountType: 'depository',
        accountSubType: 'checking',
        currency,
        currentBalance,
        availableBalance: currentBalance,
      },
      BankAccount,
    )
    console.log(`Bank account   ${created.bankAccountId}   ${created.name}`)
  }
  const sync = `curl -u ${credential} ${baseUrl}/api/feed/link/sync`
  const body = `-H 'content-type: application/json' -d '{"linkId":"${link.linkId}"}'`
  console.log('\nSync it, and watch:')
  console.log(`  npm run coffer -- feed:watch ${link.linkId} &`)
  console.log(`  ${sync} ${body}`)
}

/**
 * `coffer feed:watch`: prints the progress of the next sync of each bank account of a link, after a
 * line that says when the sockets are open. Returns 1 if a sync fails, or none ends in the time for
 * which sockets stay open (docs/limits.md). Throws FatalError when the server refuses a socket.
 */
export async function watchFeed(
  { linkId, ...options }: ServerOptions & { linkId: string },
  env: Environment,
): Promise<number> {
  const { baseUrl, headers, rest } = await callServer(options, env)
  await requireFeedLink(rest, linkId)
  const accounts = await rest.get('/bank_accounts', z.array(BankAccount))
  const watched = accounts.filter((one) => one.linkId === linkId)
  if (watched.length === 0) {
    throw new FatalError(`The link ${linkId} has no bank account: create one, then watch it.`)
  }
  const width = Math.max(...watched.map(({ name }) => name.length))
  const sockets = watched.map(({ bankAccountId, name }) => {
    const path = `/api/feed/link/sync/${linkId}/bank_account/${bankAccountId}/progress`
    const url = `${baseUrl.replace(/^http/, 'ws')}${path}`
    return follow(url, headers, ({ status, error = '' }) => {
      console.log(`${name.padEnd(width)}  ${status}  ${error}`.trimEnd())
    })
  })
  const ends = Promise.all(sockets.map(({ ended }) => ended))
  await Promise.race([Promise.all(sockets.map(({ opened }) => opened)), ends])
  console.log(`watching ${watched.map(({ name }) => name).join(', ')}`)
  const last = await ends
  if (last.every((frame) => frame?.status === 'complete')) return 0
  if (last.some((frame) => frame?.status !== 'complete' && frame?.status !== 'error')) {
    console.error('No sync has ended in time: ask for one, and watch again.')
  }
  return 1
}

async function callServer({ server, apiKey }: ServerOptions, env: Environment) {
  const { dataDir, port } = readConfig(env)
  const credential = apiKey ?? credentialOfDemo(dataDir)
  const [apiKeyId = '', secret = ''] = credential.split(':')
  const baseUrl = await requireServer(server ?? `http://127.0.0.1:${port}`)
  const headers = basic({ apiKeyId, secret })
  return { baseUrl, credential, headers, rest: createRest(baseUrl, headers) }
}

function credentialOfDemo(dataDir: string): string {
  const key = savedDemo(dataDir)?.key
  if (!key) throw new FatalError('No API key: give one with --api-key, or load "coffer demo".')
  return `${key.apiKeyId}:${key.secret}`
}

/** Throws FatalError unless a link is one of a feed that is not deleted. */
async function requireFeedLink(rest: Rest, linkId: string): Promise<void> {
  const path = `/links/${encodeURIComponent(linkId)}`
  const hint = 'GET /api/links lists the links.'
  const { linkType, deletedAt } = await explain(
    rest.get(path, WatchedLink),
    `The link ${linkId} cannot be watched`,
    { 400: hint, 404: hint },
  )
  if (deletedAt !== null) throw new FatalError(`The link ${linkId} was deleted.`)
  if (linkType === 'feed') return
  const instead = linkType === 'aggregator' ? `use "coffer sync ${linkId}"` : 'it has no syncs'
  throw new FatalError(`The link ${linkId} is of type ${linkType}, not of a feed: ${instead}.`)
}

/** Throws FatalError instead of a refusal: its reason, and a hint by status what to do. */
async function explain<Result>(
  call: Promise<Result>,
  about: string,
  hints: Record<number, string>,
): Promise<Result> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const { status, reason } = error
    const all: Record<number, string> = {
      401: 'Give an API key of Coffer with --api-key.',
      ...hints,
    }
    throw new FatalError([`${about}: ${reason}.`, all[status]].filter(Boolean).join(' '))
  }
}

/** Lets the server ask the provider; returns the bank accounts that it can sync. */
async function findCandidates(
  rest: Rest,
  feedLinkId: string,
): Promise<z.infer<typeof Candidate>[]> {
  const path = `/feed/link/${feedLinkId}/bank_accounts`
  await explain(
    rest.post(`${path}/refresh`, {}, z.unknown()),
    'The bank accounts of the feed could not be read',
    { 500: 'Check --url and --key at the provider, then run the command again.' },
  )
  const offered = await rest.get(path, z.array(Candidate))
  const candidates = offered.filter(({ feedStatus }) => feedStatus === 'ACTIVE').reverse()
  if (candidates.length === 0) throw new FatalError('The feed provider offers no bank account.')
  return candidates
}

/** Opens a socket. `ended` is the last frame, if any, when the server has closed it. */
function follow(url: string, headers: Record<string, string>, show: (frame: Frame) => void) {
  const opened = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<Frame | undefined>()
  const socket = new WebSocket(url, { headers, handshakeTimeout })
  const deadline = setTimeout(() => socket.terminate(), watchMs)
  let last: Frame | undefined
  socket.on('open', () => opened.resolve())
  socket.on('message', (data) => {
    last = Frame.parse(JSON.parse(String(data)))
    show(last)
  })
  socket.on('close', () => {
    clearTimeout(deadline)
    ended.resolve(last)
  })
  socket.on('unexpected-response', (request, answer) => {
    const refused = text(answer).then((body) => {
      throw new FatalError(`The server refused to show the progress: ${reasonIn(body)}.`)
    })
    refused.catch(ended.reject).finally(() => request.destroy())
  })
  socket.on('error', (error) => ended.reject(new FatalError(`${url}: ${error.message}`)))
  return { opened: opened.promise, ended: ended.promise }
}
