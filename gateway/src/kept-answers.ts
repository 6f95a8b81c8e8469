import { setImmediate as nextTurn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { bodyOf, type JsonBody, jsonBody } from './rest.ts'
import type { Call } from './route.ts'

/** An answer as it was sent, and the version of what it shows. */
interface Kept {
  version: string
  body: Buffer
  link: string | undefined
}

/** What a service says of a list: unchanged, or what it is now. It is kept if it has a version. */
type Reading =
  | { isUnchanged: true }
  | { isUnchanged: false; version: string | undefined; body: JsonBody; link?: string | undefined }

type Read = (known: { knownVersion?: string }) => Promise<Reading>

export interface KeptAnswers {
  /**
   * Answers with what the request was answered with before, if its service says that this is still
   * so; `read` is given the version it has to compare with.
   */
  answer: (call: Pick<Call, 'accountId' | 'request' | 'reply'>, read: Read) => Promise<JsonBody>
}

const bytesMax = 32 * 1024 * 1024

// What an entry takes besides its texts.
const entryBytes = 500

/**
 * Keeps answers of lists that are asked for often and long to render, the most recent ones up to 32
 * MiB. The service is still asked, and looks at the rows, after a request has come: an answer is
 * never older than that, whoever wrote. Requests that come together are answered by one look.
 * Answers are kept by account and URL.
 */
export function createKeptAnswers(): KeptAnswers {
  const answers = new LRUCache<string, Kept>({
    maxSize: bytesMax,
    sizeCalculation: ({ body, version }, key) => {
      return body.length + version.length + key.length + entryBytes
    },
  })
  const looks = new Map<string, Promise<Kept>>()
  const look = async (key: string, read: Read): Promise<Kept> => {
    // All that has arrived by now joins; what comes later is not to be answered by this look.
    await nextTurn()
    looks.delete(key)
    const known = answers.get(key)
    const reading = await read(known ? { knownVersion: known.version } : {})
    if (reading.isUnchanged) {
      if (!known) throw new Error('unchanged, compared with nothing')
      return known
    }
    const { version, body, link } = reading
    const fresh = { version: version ?? '', body: Buffer.from(bodyOf(body)), link }
    if (version !== undefined) answers.set(key, fresh)
    return fresh
  }
  return {
    answer: async ({ accountId, request, reply }, read) => {
      const key = `${accountId} ${request.url}`
      const joined = looks.get(key) ?? look(key, read)
      looks.set(key, joined)
      const { body, link } = await joined
      if (link !== undefined) reply.header('link', link)
      return jsonBody(body)
    },
  }
}
