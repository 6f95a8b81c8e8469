import { unauthenticated } from '@coffer/kit/rpc/errors'
import { isReadOnly } from '@coffer/kit/rpc/fault'
import { toMessage } from '@coffer/kit/rpc/message'
import { CredentialSchema, type SignInService } from '@coffer/proto/identity/v1/sign_in'
import type { ServiceImpl } from '@connectrpc/connect'
import { findApiKey, noteApiKeyUse } from '../api-keys/api-key.sql.ts'
import type { Credential } from '../book/credential.ts'
import { hashOf, isApiKeySecret } from '../book/secret.ts'
import { findSession, noteSessionUse } from '../book/session.sql.ts'
import { boundsOfUse, isToken } from '../book/session.ts'
import { isPaidUp } from '../book/subscription.ts'
import type { IdentityDeps } from '../deps.ts'

/** Returns the RPCs that verify session tokens and API keys; invalid ones are unauthenticated. */
export function credentials({
  config,
  database,
  clock,
}: IdentityDeps): Pick<ServiceImpl<typeof SignInService>, 'verifySession' | 'verifyApiKey'> {
  const reply = (credential: Credential, now: Date) => {
    const subscriptionActive = isPaidUp(credential, now, config)
    return { credential: toMessage(CredentialSchema, { ...credential, subscriptionActive }) }
  }
  return {
    verifySession: async ({ sessionToken }) => {
      const now = clock()
      const { idleSince, notedSince } = boundsOfUse(now, config.sessionIdleDays)
      const tokenHash = isToken(sessionToken) ? hashOf(sessionToken) : null
      const found = tokenHash && (await findSession(database, { tokenHash, now, idleSince }))
      if (!found) throw unauthenticated('SESSION_ENDED')
      const { lastUsedAt, ...credential } = found
      if (lastUsedAt <= notedSince) await noting(noteSessionUse(database, credential, now))
      return reply(credential, now)
    },
    verifyApiKey: async ({ apiKeyId, secret }) => {
      const now = clock()
      const { notedSince } = boundsOfUse(now, config.sessionIdleDays)
      const secretHash = isApiKeySecret(secret) ? hashOf(secret) : null
      const found = secretHash && (await findApiKey(database, { apiKeyId, secretHash, now }))
      if (!found) throw unauthenticated('API_KEY_UNKNOWN')
      const { lastUsedAt, ...credential } = found
      const isNoted = lastUsedAt !== null && lastUsedAt > notedSince
      if (!isNoted) await noting(noteApiKeyUse(database, { ...credential, apiKeyId }, now))
      return reply(credential, now)
    },
  }
}

/**
 * Waits until the use of a credential is stored. If the database is read-only, the use is not
 * stored, so that the credential is still accepted.
 */
async function noting(stored: Promise<void>): Promise<void> {
  await stored.catch((error: unknown) => {
    if (!isReadOnly(error)) throw error
  })
}
