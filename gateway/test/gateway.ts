import { createLog } from '@coffer/host/logger'
import { readSettings } from '@coffer/host/settings'
import type { Broker } from '@coffer/kit/events/broker'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { buildApp } from '../src/app.ts'
import { settings } from '../src/config.ts'
import type { AppDeps } from '../src/deps.ts'
import { apiKey, type Received, type StubMesh, type Stubs, stubMesh } from './stub-mesh.ts'

/** The answer to a request. */
export interface Answered {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers as their clients do
  body: any
  text: string
  headers: Record<string, string | string[] | number | undefined>
}

/** The gateway over stub services, without a port. */
export interface Gateway extends AsyncDisposable {
  app: FastifyInstance
  received: Received[]
  deps: AppDeps
  /** Sends a request, by default with the test user's API key; an object as `body` becomes JSON. */
  send: (method: string, url: string, more?: Sending) => Promise<Answered>
}

export interface Sending {
  body?: unknown
  /** Headers of a credential to send instead of the default API key; null sends none. */
  as?: Record<string, string> | null
  headers?: Record<string, string>
}

export const byKey = { authorization: basic(apiKey.apiKeyId, apiKey.secret) }
export const bySession = { cookie: 'coffer_session=session-of-alice' }

/** Headers of a session of the test user that still requires its second factor. */
export const byPending = { cookie: 'coffer_session=pending' }

export function basic(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`
}

interface Shared extends AsyncDisposable {
  app: FastifyInstance
  deps: AppDeps
  stubs: StubMesh
  /** Whether it never had a port: its test may have closed it. */
  isReusable: () => boolean
  /** Moves the clock beyond the age of what the gateway keeps of credentials. */
  pass: () => void
}

const keptMs = 60_000

async function start(environment: Record<string, string>, more: Partial<AppDeps>): Promise<Shared> {
  let aheadMs = 0
  const clock = more.clock ?? (() => new Date(Date.now() + aheadMs))
  const stubs = stubMesh(clock)
  const deps: AppDeps = {
    config: readSettings(settings, environment),
    mesh: stubs.mesh,
    signer: stubs.signer,
    broker: undefined as unknown as Broker,
    isHealthy: async () => true,
    clock,
    log: createLog({ level: process.env.COFFER_LOG_LEVEL ?? 'silent', name: 'test' }),
    webFolder: null,
    ...more,
  }
  const app = await buildApp(deps)
  let isReusable = true
  app.server.once('listening', () => {
    isReusable = false
  })
  return {
    app,
    deps,
    stubs,
    isReusable: () => isReusable,
    pass: () => {
      aheadMs += keptMs
    },
    [Symbol.asyncDispose]: async () => {
      await app.close()
      stubs.mesh[Symbol.dispose]()
    },
  }
}

/**
 * Gateways that no test of this process uses now, by their settings: a start takes 50 ms of
 * processor time.
 */
const idle = new Map<string, Shared[]>()

/**
 * Returns a gateway; `environment` has settings, `more` replaces dependencies. Without `more` it
 * may be one that an earlier test has disposed of.
 */
export async function createGateway(
  stubs: Stubs,
  environment: Record<string, string> = {},
  more: Partial<AppDeps> = {},
): Promise<Gateway> {
  const isShared = Object.keys(more).length === 0
  const key = JSON.stringify(environment)
  const found = isShared ? idle.get(key)?.pop() : undefined
  const gateway = found ?? (await start(environment, more))
  const { app, deps } = gateway
  const received = gateway.stubs.use(stubs)
  return {
    app,
    received,
    deps,
    send: async (method, url, { body, as = byKey, headers = {} } = {}) => {
      const isText = typeof body === 'string' || Buffer.isBuffer(body)
      const typed = body === undefined ? {} : { 'content-type': 'application/json' }
      const answer = await app.inject({
        method: method as NonNullable<InjectOptions['method']>,
        url,
        headers: { ...typed, ...as, ...headers },
        ...(body === undefined ? {} : { payload: isText ? body : JSON.stringify(body) }),
      })
      const text = answer.body
      const isJson = String(answer.headers['content-type']).startsWith('application/json')
      return {
        status: answer.statusCode,
        body: isJson && text !== '' ? JSON.parse(text) : undefined,
        text,
        headers: answer.headers,
      }
    },
    [Symbol.asyncDispose]: async () => {
      if (!isShared || !gateway.isReusable()) return await gateway[Symbol.asyncDispose]()
      if (idle.get(key)?.includes(gateway)) return
      gateway.pass()
      idle.set(key, [...(idle.get(key) ?? []), gateway])
    },
  }
}
