import { refused } from '@coffer/kit/rpc/errors'
import {
  type OfferedAccount,
  readAccounts,
  readBalance,
  readJson,
  type StatedBalance,
} from './lunch-flow.ts'

/** An instance of the feed provider. Throws refused (500) with what the provider did. */
export interface Feed {
  listAccounts: (signal: AbortSignal) => Promise<OfferedAccount[]>
  readBalance: (feedId: string, signal: AbortSignal) => Promise<StatedBalance>
}

const attempts = 2
const redirectsMax = 3
const bodySizeMax = 10 * 1024 * 1024
const quoteLengthMax = 200

/**
 * Lunch Flow's HTTP API (spec/syncs.md 6.1). A call is tried twice where the provider is not
 * reached or fails by itself. The key goes to no address but those below the base URL.
 *
 * @param options.attemptMs how long one attempt may take
 */
export function openLunchFlow({
  apiUrl,
  apiKey,
  attemptMs = 4_000,
}: {
  apiUrl: string
  apiKey: string
  attemptMs?: number
}): Feed {
  const call = async (path: string, signal: AbortSignal): Promise<unknown> => {
    const within = { apiUrl, apiKey, signal, attemptMs }
    let answer = await attempt(path, within)
    for (let tries = 1; tries < attempts && isFault(answer) && !signal.aborted; tries += 1) {
      answer = await attempt(path, within)
    }
    if (answer === null) throw failure('did not answer')
    if (answer.status !== 200) throw failure(textOf(answer, apiKey))
    return readJson(answer.body)
  }
  return {
    listAccounts: async (signal) => {
      const accounts = readAccounts(await call('/accounts', signal))
      if (!accounts) throw failure('did not send a list of accounts')
      return accounts
    },
    readBalance: async (feedId, signal) => {
      const answer = await call(`/accounts/${encodeURIComponent(feedId)}/balance`, signal)
      const balance = readBalance(answer)
      if (!balance) throw failure('did not send a balance')
      return balance
    },
  }
}

interface Answer {
  status: number
  body: string
}

interface Within {
  apiUrl: string
  apiKey: string
  signal: AbortSignal
  attemptMs: number
}

/** What the provider answers, after redirects that stay below the base URL; null where nothing. */
async function attempt(path: string, within: Within): Promise<Answer | null> {
  const { apiUrl, apiKey, signal, attemptMs } = within
  const ending = AbortSignal.any([signal, AbortSignal.timeout(attemptMs)])
  let url = new URL(apiUrl + path)
  try {
    for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
      const headers = { 'x-api-key': apiKey, accept: 'application/json' }
      const response = await fetch(url, { headers, redirect: 'manual', signal: ending })
      const location = response.headers.get('location')
      if (response.status < 300 || response.status >= 400 || location === null) {
        return { status: response.status, body: await bodyOf(response) }
      }
      await response.body?.cancel()
      url = new URL(location, url)
      if (!isBelow(url, apiUrl)) return { status: response.status, body: '' }
    }
    return null
  } catch {
    return null
  }
}

function isBelow(url: URL, apiUrl: string): boolean {
  const base = new URL(apiUrl)
  const folder = base.pathname.replace(/\/*$/, '/')
  const isSamePlace = url.origin === base.origin && `${url.pathname}/`.startsWith(folder)
  return isSamePlace && url.username === '' && url.password === ''
}

/** The body as text. Throws where it is larger than anybody needs. */
async function bodyOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > bodySizeMax) throw new Error('the answer is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Whether the provider is to blame, so that the same call may succeed. */
function isFault(answer: Answer | null): boolean {
  return answer === null || answer.status >= 500
}

/** Self-hosters run the provider themselves: they may see what it said (spec/syncs.md 5.3). */
function textOf({ status, body }: Answer, apiKey: string): string {
  const said = body
    .replaceAll(apiKey, '***')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
  const quote = [...said].slice(0, quoteLengthMax).join('')
  const isRefused = status === 401 || status === 403
  const did = isRefused ? 'refused the API key' : `answered with status ${status}`
  return quote === '' ? did : `${did}: ${quote}`
}

function failure(did: string) {
  return refused(`the feed provider ${did}`, { status: 500 })
}
