import { forbidden, invalid, refused, unauthenticated } from '@coffer/kit/rpc/errors'
import { isId } from '@coffer/kit/values/id'
import type { FastifyRequest } from 'fastify'
import type { SessionCookie } from '../auth/cookie.ts'
import { type FeatureSettings, requireFeature } from '../auth/features.ts'
import type { Origins } from '../auth/origins.ts'
import { isBasic, keyProofOf, type Proof, type Sessions } from '../auth/session.ts'
import { foreignIds, idPrefixes, idProblem } from './bodies/fields.ts'
import { refuseEmpty } from './errors/refusals.ts'
import { authClasses, type Route } from './route.ts'

/** What a request is admitted with. */
export interface Admission {
  /** The caller token for the services. */
  token: string
  /** Empty without a credential. */
  accountId: string
  /** IANA name of the account's timezone; empty without a credential. */
  timezone: string
}

export interface AdmissionDeps {
  config: FeatureSettings
  sessions: Sessions
  cookie: SessionCookie
  origins: Origins
}

/**
 * Decides whether a request may reach its route, in the order of spec/identity.md 1.1: page of
 * another origin (403), credential (401), what a key may do (403), subscription (402), feature
 * (404), path IDs (400).
 */
export async function admit(
  { config, sessions, cookie, origins }: AdmissionDeps,
  { auth, feature, method, reads = false }: Route,
  request: FastifyRequest,
): Promise<Admission> {
  refuseEmpty(request)
  const isByKey = authClasses[auth].key && isBasic(request.headers.authorization)
  // A browser sends its cookie by itself, and sign-in gives it one; a key it never does.
  if (!isByKey && method !== 'GET') origins.refuseForeign(request)
  const admission = { token: '', accountId: '', timezone: '' }
  if (auth === 'none') {
    admission.token = sessions.anonymous()
  } else {
    const { key, paid, pending } = authClasses[auth]
    const proof = proofOf(request, cookie, key)
    const { credential, token } = await sessions.verify(proof, request.id)
    if (!pending.some((may) => may === credential.mfaPending)) {
      throw unauthenticated(credential.mfaPending ? 'MFA_REQUIRED' : 'MFA_NOT_PENDING')
    }
    if (credential.isReadOnly && !reads && method !== 'GET') {
      throw forbidden('this API key may only read')
    }
    if (paid && !credential.subscriptionActive) {
      throw refused('the subscription is not active', { status: 402 })
    }
    admission.token = token
    admission.accountId = credential.accountId
    admission.timezone = credential.timezone
  }
  if (feature) requireFeature(feature, config)
  checkIds(request.params as Record<string, string>)
  return admission
}

/**
 * The proof a request carries. A Basic header decides alone where keys are accepted, and counts
 * for nothing where they are not (spec/identity.md 1.3). Throws unauthenticated.
 */
export function proofOf(
  request: FastifyRequest,
  cookie: SessionCookie,
  acceptsKeys: boolean,
): Proof {
  const { authorization } = request.headers
  if (acceptsKeys && isBasic(authorization)) return keyProofOf(authorization)
  const token = cookie.read(request)
  if (token) return { kind: 'session', token }
  throw unauthenticated(isBasic(authorization) ? 'SESSION_REQUIRED' : 'CREDENTIAL_REQUIRED')
}

function checkIds(params: Record<string, string>): void {
  for (const [name, id] of Object.entries(params)) {
    const foreign = foreignIds[name]
    const prefix = foreign?.prefix ?? idPrefixes[name]
    const isGood = foreign ? foreign.form.test(id) : prefix && isId(prefix, id)
    if (isGood) continue
    const problem = foreign
      ? `must be an ID that begins with ${prefix}_`
      : idProblem(prefix ?? '', id)
    throw invalid({ [name]: problem }, `${name} ${problem}`)
  }
}
