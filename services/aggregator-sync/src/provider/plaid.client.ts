import { Agent, type ClientRequest } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import type { PlaidApi } from 'plaid'
import type { PlaidMethod } from './call-limit.ts'

/** Base URL of Plaid, and the keys of the operator. */
export interface PlaidOptions {
  /** Without a path (`findPlaidUrlProblem`). */
  url: string
  clientId: string
  clientSecret: string
}

/** Request body of a method. */
export type PlaidRequest<Method extends PlaidMethod> = Parameters<PlaidApi[Method]>[0]

/** An answer with its whole body, decompressed. */
export interface PlaidAnswer {
  status: number
  body: Uint8Array
}

/** Sends requests to Plaid. */
export interface Plaid extends Disposable {
  /**
   * Returns the answer; `no-answer` if the signal aborts or the connection breaks before the last
   * byte, `too-large` for a body of more than 10 MiB. Never throws, because errors of the library
   * contain the headers with the secret.
   */
  send: <Method extends PlaidMethod>(
    method: Method,
    request: PlaidRequest<Method>,
    signal: AbortSignal,
  ) => Promise<PlaidAnswer | 'no-answer' | 'too-large'>
}

const bodySizeMax = 10 * 1024 * 1024
const requestSizeMax = 1024 * 1024
const socketsMax = 20

/**
 * Loads Plaid's library, which takes 240 ms and 70 MiB, and returns a client. SSRF: it sends
 * requests to the given URL only, without redirects and without a proxy from the environment.
 */
export async function openPlaid({ url, clientId, clientSecret }: PlaidOptions): Promise<Plaid> {
  const { Configuration, PlaidApi } = await import('plaid')
  const [kept, fresh] = [createAgents({ keepAlive: true }), createAgents({ keepAlive: false })]
  const api = new PlaidApi(
    new Configuration({
      basePath: url.replace(/\/+$/, ''),
      baseOptions: {
        headers: { 'PLAID-CLIENT-ID': clientId, 'PLAID-SECRET': clientSecret },
        maxRedirects: 0,
        proxy: false,
        maxContentLength: bodySizeMax,
        maxBodyLength: requestSizeMax,
        // As bytes: `readAnswer` keeps decimals exact and validates the content.
        responseType: 'arraybuffer',
        transformResponse: [],
        validateStatus: () => true,
      },
    }),
  )
  return {
    send: async (method, request, signal) => {
      const send = api[method].bind(api) as (body: typeof request, options: object) => Sent
      const sendOn = async (agents: Agents): Promise<PlaidAnswer> => {
        const { status, data } = await send(request, { signal, ...agents })
        return { status, body: Buffer.isBuffer(data) ? data : Buffer.alloc(0) }
      }
      try {
        // A public token can be exchanged only once, so the call avoids a kept connection that the
        // server may have closed.
        if (method === 'itemPublicTokenExchange') return await sendOn(fresh)
        return await sendOn(kept).catch((error) => {
          if (!isStale(error)) throw error
          return sendOn(fresh)
        })
      } catch (error) {
        return isTooLarge(error) ? 'too-large' : 'no-answer'
      }
    },
    [Symbol.dispose]: () => {
      for (const agents of [kept, fresh]) {
        agents.httpAgent.destroy()
        agents.httpsAgent.destroy()
      }
    },
  }
}

type Sent = Promise<{ status: number; data: unknown }>

type Agents = ReturnType<typeof createAgents>

function createAgents({ keepAlive }: { keepAlive: boolean }) {
  return {
    httpAgent: new Agent({ keepAlive, maxSockets: socketsMax }),
    httpsAgent: new SecureAgent({ keepAlive, maxSockets: socketsMax }),
  }
}

/**
 * Returns whether a kept connection broke before an answer began, so that the request can be
 * repeated. Servers close idle connections, possibly while a request is on its way.
 */
function isStale(error: unknown): boolean {
  const { code, request } = error as { code?: string; request?: ClientRequest & { res?: unknown } }
  return code === 'ECONNRESET' && request?.reusedSocket === true && !request.res
}

/**
 * Returns whether the library aborted an answer at its bound; only the error's message shows this.
 */
function isTooLarge(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('maxContentLength')
}
