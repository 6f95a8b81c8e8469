import { unauthenticated } from '@coffer/kit/errors'
import { toMessage } from '@coffer/kit/message'
import { CredentialSchema, type SignInService } from '@coffer/proto/identity/v1/sign_in'
import type { ServiceImpl } from '@connectrpc/connect'
import { useApiKey } from './api-key.sql.ts'
import type { Credential } from './credential.ts'
import { hashOf, isApiKeySecret } from './secret.ts'
import type { IdentityDeps } from './service.ts'
import { useSession } from './session.sql.ts'
import { boundsOfUse, isToken } from './session.ts'
import { isPaidUp } from './subscription.ts'

/** Turns sessions and API keys into who they stand for, with one statement each. */
export function credentials({
  config,
  database,
  clock,
}: IdentityDeps): Pick<ServiceImpl<typeof SignInService>, 'verifySession' | 'verifyApiKey'> {
  const reply = (credential: Credential | null, now: Date) => {
    if (!credential) throw unauthenticated()
    const subscriptionActive = isPaidUp(credential, now, config)
    return { credential: toMessage(CredentialSchema, { ...credential, subscriptionActive }) }
  }
  return {
    verifySession: async ({ sessionToken }) => {
      if (!isToken(sessionToken)) throw unauthenticated()
      const now = clock()
      const bounds = boundsOfUse(now, config.sessionIdleDays)
      const tokenHash = hashOf(sessionToken)
      return reply(await useSession(database, { tokenHash, now, ...bounds }), now)
    },
    verifyApiKey: async ({ apiKeyId, secret }) => {
      if (!isApiKeySecret(secret)) throw unauthenticated()
      const now = clock()
      const { notedSince } = boundsOfUse(now, config.sessionIdleDays)
      const secretHash = hashOf(secret)
      return reply(await useApiKey(database, { apiKeyId, secretHash, now, notedSince }), now)
    },
  }
}
