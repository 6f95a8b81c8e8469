import { setTimeout as sleep } from 'node:timers/promises'
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { say } from '@coffer/kit/reasons/reasons'
import type { OutgoingCaller } from '@coffer/kit/rpc/caller'
import { forbidden, invalid, isTransient, refused, unauthenticated } from '@coffer/kit/rpc/errors'
import { isId } from '@coffer/kit/values/id'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SessionCookie } from '../auth/cookie.ts'
import { type FeatureSettings, requireFeature } from '../auth/features.ts'
import type { Origins } from '../auth/origins.ts'
import { isOfFormerBuild, ofFormerBuild, refuseOtherUser } from '../auth/page-headers.ts'
import { costOf, type RequestBudget } from '../auth/request-budget.ts'
import { isBasic, readApiKey, type SentCredential, type Sessions } from '../auth/session.ts'
import { idProblem } from '../http/fields/fields.ts'
import { externalIds, idPrefixes } from '../http/fields/id-prefixes.ts'
import { authClasses, type Route } from '../http/route.ts'
import { refuseEmpty } from './unknown-paths.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by admission control; null before, and on paths without it. */
    admission: Admission | null
  }
}

/** Result of admission control for a request. */
export interface Admission {
  /** Signs the calls to services; null without a credential. */
  caller: OutgoingCaller | null
  /** ID of the caller's account; empty without a credential. */
  accountId: string
  /** IANA name of the account's timezone; empty without a credential. */
  timezone: string
  /**
   * Whether a former build of the app sends this change: a service may answer it with the stored
   * reply of its idempotency key, and carries out nothing.
   */
  onlyReplay: boolean
  /** Instant at which the session ends at the latest; unset without a session. */
  sessionExpiresAt?: Timestamp | undefined
}

export interface AdmissionDeps {
  config: FeatureSettings
  sessions: Sessions
  cookie: SessionCookie
  origins: Origins
  /** Null without quotas. */
  budget: RequestBudget | null
  /** Build of the web app; null without one. */
  build: string | null
}

/**
 * Runs admission control of a request (docs/api.md#order-of-checks) and sets its result. Throws
 * the first refusal in this order: origin (403), credential (401), other user (409), scope
 * of the key (403), subscription (402), budget of requests (429), feature (404, 406), IDs (400).
 * Adds the headers of the budget to the reply.
 */
export async function admit(
  { config, sessions, cookie, origins, budget, build }: AdmissionDeps,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { auth, feature, method, reads = false, hasEffect = method !== 'GET', isPatient } = route
  refuseEmpty(request)
  const isByKey = authClasses[auth].key && isBasic(request.headers.authorization)
  // CSRF: browsers attach cookies automatically, but never API keys, because no answer asks a
  // browser for them (`credentialChallenge`). Sign-in is checked too, because it sets a cookie.
  if (!isByKey && hasEffect) origins.refuseForeign(request)
  let admission: Admission
  if (auth === 'none') {
    admission = { caller: sessions.anonymous(), accountId: '', timezone: '', onlyReplay: false }
  } else {
    const { key, paid, pending } = authClasses[auth]
    const sent = readCredential(request, cookie, key)
    const verify = () => sessions.verify(sent, request.id)
    const { credential, caller } = await (isPatient ? repeated(verify) : verify())
    if (!(pending as readonly boolean[]).includes(credential.mfaPending)) {
      throw unauthenticated(credential.mfaPending ? 'MFA_REQUIRED' : 'MFA_NOT_PENDING')
    }
    refuseOtherUser(request, credential.userId)
    const onlyReplay = hasEffect && !reads && isOfFormerBuild(request, build)
    // Browsers repeat a POST by themselves, also over an upgrade: it may be carried out already.
    if (onlyReplay && !isKeyed(route, request)) throw ofFormerBuild()
    if (credential.isReadOnly && !reads && method !== 'GET') {
      throw forbidden('this API key may only read: use one of scope full')
    }
    if (paid && !credential.subscriptionActive) {
      throw refused(say('SUBSCRIPTION_INACTIVE'), { status: 402 })
    }
    const { accountId, timezone, sessionExpiresAt } = credential
    if (budget) {
      const apiKeyId = sent.kind === 'key' ? sent.apiKeyId : ''
      const cost = costOf(reads ? 'GET' : method)
      await budget.spend({ accountId, apiKeyId, cost }, request, reply)
    }
    admission = { caller, accountId, timezone, sessionExpiresAt, onlyReplay }
  }
  if (feature) requireFeature(feature, config)
  checkIds(request.params as Record<string, string>)
  request.admission = admission
}

function isKeyed({ idempotent }: Route, { headers }: FastifyRequest): boolean {
  return idempotent === true && headers['idempotency-key'] !== undefined
}

/** Pauses in ms before retries on a route whose clients wait (`isPatient`). */
const patientPausesMs = [500, 2_000]

/** Retries a call after transient errors of its service; throws the last one. */
async function repeated<T>(call: () => Promise<T>): Promise<T> {
  for (const pauseMs of patientPausesMs) {
    try {
      return await call()
    } catch (error) {
      if (!isTransient(error)) throw error
      await sleep(pauseMs)
    }
  }
  return call()
}

/**
 * Returns the credential of a request: a Basic header if the route accepts keys, else the session
 * of the cookie (docs/sign-in.md#api-keys). Throws unauthenticated when the request has neither.
 */
export function readCredential(
  request: FastifyRequest,
  cookie: SessionCookie,
  acceptsKeys: boolean,
): SentCredential {
  const { authorization } = request.headers
  if (acceptsKeys && isBasic(authorization)) return readApiKey(authorization)
  const token = cookie.read(request)
  if (token) return { kind: 'session', token }
  throw unauthenticated(isBasic(authorization) ? 'SESSION_REQUIRED' : 'CREDENTIAL_REQUIRED')
}

function checkIds(params: Record<string, string>): void {
  for (const name in params) {
    const id = params[name] ?? ''
    const external = externalIds[name]
    const prefix = external?.prefix ?? idPrefixes[name]
    const isValid = external ? external.form.test(id) : prefix && isId(prefix, id)
    if (isValid) continue
    const problem = external
      ? `must be an ID that begins with ${prefix}_`
      : idProblem(prefix ?? '', id)
    throw invalid({ [name]: problem }, `${name} ${problem}`)
  }
}
