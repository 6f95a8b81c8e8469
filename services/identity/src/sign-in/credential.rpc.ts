import { type CredentialRefusal, unauthenticated } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { CredentialSchema, type SignInService } from '@coffer/proto/identity/v1/sign_in'
import type { ServiceImpl } from '@connectrpc/connect'
import { useApiKey } from '../api-keys/api-key.sql.ts'
import { isPaidUp } from '../billing/subscription.ts'
import type { IdentityDeps } from '../service.ts'
import type { Credential } from './credential.ts'
import { hashOf, isApiKeySecret } from './secret.ts'
import { useSession } from './session.sql.ts'
import { boundsOfUse, isToken } from './session.ts'

/** Turns sessions and API keys into who they stand for, with one statement each. */
export function credentials({
  config,
  database,
  clock,
}: IdentityDeps): Pick<ServiceImpl<typeof SignInService>, 'verifySession' | 'verifyApiKey'> {
  const reply = (
    credential: Credential | null,
    { now, otherwise }: { now: Date; otherwise: CredentialRefusal },
  ) => {
    if (!credential) throw unauthenticated(otherwise)
    const subscriptionActive = isPaidUp(credential, now, config)
    return { credential: toMessage(CredentialSchema, { ...credential, subscriptionActive }) }
  }
  return {
    verifySession: async ({ sessionToken }) => {
      const otherwise = 'SESSION_ENDED'
      if (!isToken(sessionToken)) throw unauthenticated(otherwise)
      const now = clock()
      const bounds = boundsOfUse(now, config.sessionIdleDays)
      const tokenHash = hashOf(sessionToken)
      const credential = await useSession(database, { tokenHash, now, ...bounds })
      return reply(credential, { now, otherwise })
    },
    verifyApiKey: async ({ apiKeyId, secret }) => {
      const otherwise = 'API_KEY_UNKNOWN'
      if (!isApiKeySecret(secret)) throw unauthenticated(otherwise)
      const now = clock()
      const { notedSince } = boundsOfUse(now, config.sessionIdleDays)
      const secretHash = hashOf(secret)
      const credential = await useApiKey(database, { apiKeyId, secretHash, now, notedSince })
      return reply(credential, { now, otherwise })
    },
  }
}
