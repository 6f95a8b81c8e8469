import type { Environment } from '@coffer/kit/service/config'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { savedDemo } from '../demo/person.ts'
import { BankAccount, Link } from '../demo/replies.ts'
import { basic, createRest, type Rest, requireServer } from '../demo/rest.ts'
import { readConfig } from '../environment.ts'

const FeedLink = z.object({ feedLinkId: z.string() })
const Candidate = z.object({
  feedBankAccountId: z.string(),
  feedStatus: z.string(),
  name: z.string(),
  currency: z.string(),
  currentBalance: z.number(),
})
/** The server closes a socket after five minutes (docs/limits.md). */
const watchMs = 330_000
const handshakeTimeout = 30_000

const Frame = z.object({ status: z.string(), error: z.string().optional() })
type Frame = z.infer<typeof Frame>

/** The server to call, and the API key to call it with (`id:secret`). */
export type ServerOptions = { server?: string; apiKey?: string }

/**
 * `coffer feed:link`: links the bank accounts that a feed provider offers. Throws FatalError when
 * the server or the provider refuses; then the connection stays `pending`, and is removed in time.
 */
export async function linkFeed(
  options: ServerOptions & { url: string; key: string; name: string },
  env: Environment,
): Promise<undefined> {
  const { baseUrl, credential, rest } = await callServer(options, env)
  const { url: feedURL, key: apiKey, name } = options
  const { feedLinkId } = await rest.post('/feed/link', { name, feedURL, apiKey }, FeedLink)
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
  const accounts = await rest.get('/bank_accounts', z.array(BankAccount))
  const watched = accounts.filter((one) => one.linkId === linkId)
  if (watched.length === 0) throw new FatalError(`No bank account belongs to the link ${linkId}.`)
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

/** Lets the server ask the provider; returns the bank accounts that it can sync. */
async function findCandidates(
  rest: Rest,
  feedLinkId: string,
): Promise<z.infer<typeof Candidate>[]> {
  const path = `/feed/link/${feedLinkId}/bank_accounts`
  await rest.post(`${path}/refresh`, {}, z.unknown())
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
  socket.on('error', (error) => ended.reject(new FatalError(`${url}: ${error.message}`)))
  return { opened: opened.promise, ended: ended.promise }
}
