import { unauthenticated } from '@coffer/kit/errors'
import { toMessage } from '@coffer/kit/message'
import { CredentialSchema, type SignInService } from '@coffer/proto/identity/v1/sign_in'
import type { ServiceImpl } from '@connectrpc/connect'
import { unbilled } from './account.ts'
import { findKeyCredential } from './api-key.sql.ts'
import type { Credential } from './credential.ts'
import { hashOf, isApiKeySecret, isHashOf } from './secret.ts'
import type { IdentityDeps } from './service.ts'
import { useSession } from './session.sql.ts'
import { boundsOfUse, isToken } from './session.ts'

/** Turns sessions and API keys into who they stand for, with one statement each. */
export function credentials({
  config,
  database,
  clock,
}: IdentityDeps): Pick<ServiceImpl<typeof SignInService>, 'verifySession' | 'verifyApiKey'> {
  return {
    verifySession: async ({ sessionToken }) => {
      if (!isToken(sessionToken)) throw unauthenticated()
      const now = clock()
      const bounds = boundsOfUse(now, config.sessionIdleDays)
      const tokenHash = hashOf(sessionToken)
      return reply(await useSession(database, { tokenHash, now, ...bounds }))
    },
    verifyApiKey: async ({ apiKeyId, secret }) => {
      if (!isApiKeySecret(secret)) throw unauthenticated()
      const found = await findKeyCredential(database, apiKeyId)
      return reply(found && isHashOf(found.secretHash, secret) ? found : null)
    },
  }
}

function reply(credential: Credential | null) {
  if (!credential) throw unauthenticated()
  const subscriptionActive = unbilled.isActive
  return { credential: toMessage(CredentialSchema, { ...credential, subscriptionActive }) }
}
