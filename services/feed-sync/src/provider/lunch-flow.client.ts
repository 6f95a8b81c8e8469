import { refused } from '@coffer/kit/rpc/errors'
import { toPrintable } from '@coffer/kit/values/printable'
import {
  type OfferedAccount,
  readAccounts,
  readBalance,
  readJson,
  type StatedBalance,
} from './lunch-flow.ts'

/** Client of an instance of the feed provider. Throws refused (500) if the provider fails. */
export interface Feed {
  listAccounts: (signal: AbortSignal) => Promise<OfferedAccount[]>
  readBalance: (feedId: string, signal: AbortSignal) => Promise<StatedBalance>
}

const attempts = 2
const redirectsMax = 3
const bodySizeMax = 10 * 1024 * 1024
const quoteLengthMax = 200

/**
 * Returns a client of Lunch Flow's HTTP API (docs/syncs.md#refresh). `attemptMs` is the timeout of
 * one attempt. A call without an answer, or answered with 5xx, is retried once. The key is sent
 * only to URLs below `apiUrl`.
 */
export function createLunchFlow({
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
    if (answer.status !== 200) throw failure(describeFailure(answer, apiKey))
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

/**
 * Returns the provider's answer; null if there is none in time, or only redirects (more than
 * three). Redirects are followed below the base URL only.
 */
async function attempt(path: string, within: Within): Promise<Answer | null> {
  const { apiUrl, apiKey, signal, attemptMs } = within
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(attemptMs)])
  let url = new URL(apiUrl + path)
  try {
    for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
      const headers = { 'x-api-key': apiKey, accept: 'application/json' }
      const response = await fetch(url, { headers, redirect: 'manual', signal: deadline })
      const location = response.headers.get('location')
      if (response.status < 300 || response.status >= 400 || location === null) {
        return { status: response.status, body: await readBody(response) }
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

/** Returns the body as text; throws for a body of more than 10 MiB. */
async function readBody({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > bodySizeMax) throw new Error('the answer is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Returns whether the provider failed, so that a retry may succeed. */
function isFault(answer: Answer | null): boolean {
  return answer === null || answer.status >= 500
}

/** Describes a failed answer and quotes its body without the API key (docs/syncs.md#refresh). */
function describeFailure({ status, body }: Answer, apiKey: string): string {
  const said = body.replaceAll(apiKey, '***').replaceAll(/\s+/g, ' ')
  const quote = toPrintable(said, { lengthMax: quoteLengthMax, instead: ' ' })
  const isRefused = status === 401 || status === 403
  const did = isRefused ? 'refused the API key' : `answered with status ${status}`
  return quote === '' ? did : `${did}: ${quote}`
}

function failure(did: string) {
  return refused(`the feed provider ${did}`, { status: 500 })
}
