import { type CredentialRefusal, unauthenticated } from '@coffer/kit/rpc/errors'
import { isReadOnly } from '@coffer/kit/rpc/fault'
import { toMessage } from '@coffer/kit/rpc/message'
import { CredentialSchema, type SignInService } from '@coffer/proto/identity/v1/sign_in'
import type { ServiceImpl } from '@connectrpc/connect'
import { useApiKey } from '../api-keys/api-key.sql.ts'
import type { Credential } from '../book/credential.ts'
import { hashOf, isApiKeySecret } from '../book/secret.ts'
import { useSession } from '../book/session.sql.ts'
import { boundsOfUse, isToken } from '../book/session.ts'
import { isPaidUp } from '../book/subscription.ts'
import type { IdentityDeps } from '../deps.ts'

/** Returns the RPCs that verify session tokens and API keys; invalid ones are unauthenticated. */
export function credentials({
  config,
  database,
  clock,
}: IdentityDeps): Pick<ServiceImpl<typeof SignInService>, 'verifySession' | 'verifyApiKey'> {
  const reply = (
    credential: Credential | null,
    { now, refusal }: { now: Date; refusal: CredentialRefusal },
  ) => {
    if (!credential) throw unauthenticated(refusal)
    const subscriptionActive = isPaidUp(credential, now, config)
    return { credential: toMessage(CredentialSchema, { ...credential, subscriptionActive }) }
  }
  return {
    verifySession: async ({ sessionToken }) => {
      const refusal = 'SESSION_ENDED'
      if (!isToken(sessionToken)) throw unauthenticated(refusal)
      const now = clock()
      const { idleSince, notedSince } = boundsOfUse(now, config.sessionIdleDays)
      const use = { tokenHash: hashOf(sessionToken), now, idleSince }
      const credential = await noting(notedSince, (since) =>
        useSession(database, { ...use, notedSince: since }),
      )
      return reply(credential, { now, refusal })
    },
    verifyApiKey: async ({ apiKeyId, secret }) => {
      const refusal = 'API_KEY_UNKNOWN'
      if (!isApiKeySecret(secret)) throw unauthenticated(refusal)
      const now = clock()
      const { notedSince } = boundsOfUse(now, config.sessionIdleDays)
      const use = { apiKeyId, secretHash: hashOf(secret), now }
      const credential = await noting(notedSince, (since) =>
        useApiKey(database, { ...use, notedSince: since }),
      )
      return reply(credential, { now, refusal })
    },
  }
}

/** Verifies and notes the use of a credential; only verifies it while Postgres is read-only. */
async function noting<T>(notedSince: Date, use: (since: Date | null) => Promise<T>): Promise<T> {
  try {
    return await use(notedSince)
  } catch (error) {
    if (!isReadOnly(error)) throw error
    return use(null)
  }
}
