import { type FollowOptions, followChanges } from '@coffer/client'
import type { Json, Person } from '../harness/person.ts'

/** A reader of the change feed that follows the cursor until it is stopped. */
export interface Reader {
  /** Changes in the order in which they were read. */
  changes: Json[]
  /** Requests that failed, and streams that did not end with a time to connect again. */
  failures: string[]
  stop: () => Promise<void>
}

const ending = 'retry: 1000\n\n'

/**
 * Sends a GET, once more if the server closed an idle connection as the request was sent: no server
 * can prevent that, and browsers repeat such a request by themselves (RFC 9112, 9.3.1).
 */
const fetchAsBrowsersDo: typeof fetch = (input, init) =>
  fetch(input, init).catch((error) => {
    if (error.cause?.message !== 'other side closed') throw error
    return fetch(input, init)
  })

/** Starts a reader at the end of the feed; resolves when it has its first cursor. */
export async function startReader(
  person: Person,
  { by, query = {} }: Pick<FollowOptions, 'by' | 'query'>,
): Promise<Reader> {
  const stopping = new AbortController()
  const failures: string[] = []
  const fail = (text: string) => {
    if (!stopping.signal.aborted) failures.push(text)
  }
  const observed: typeof fetch = async (input, init) => {
    try {
      const response = await fetchAsBrowsersDo(input, init)
      if (response.status !== 200) fail(`${response.status} ${await response.clone().text()}`)
      const isStream = response.headers.get('content-type') === 'text/event-stream'
      if (!(isStream && response.body)) return response
      return new Response(ReadableStream.from(watched(response.body, fail)), response)
    } catch (error) {
      fail(`${error} ${(error as Error).cause}`)
      throw error
    }
  }
  const client = person.connect({ fetch: observed, attempts: 1 })
  const changes: Json[] = []
  const begun = Promise.withResolvers<void>()
  const follow = async () => {
    const options = { ...(by && { by }), query: { limit: 100, ...query }, signal: stopping.signal }
    for await (const page of followChanges(client, options)) {
      changes.push(...page.changes)
      begun.resolve()
    }
  }
  const following = follow().catch((error) => {
    fail(`ended: ${error}`)
    begun.reject(error)
  })
  await begun.promise
  return {
    changes,
    failures,
    stop: async () => {
      stopping.abort(new Error('stopped'))
      await following
    },
  }
}

async function* watched(body: ReadableStream<Uint8Array>, fail: (text: string) => void) {
  const decoder = new TextDecoder()
  let last = ''
  try {
    for await (const bytes of body) {
      last = `${last}${decoder.decode(bytes, { stream: true })}`.slice(-ending.length)
      yield bytes
    }
    if (last !== ending) fail(`a stream ended with ${JSON.stringify(last)}`)
  } catch (error) {
    fail(`a stream was cut: ${error}`)
    throw error
  }
}
