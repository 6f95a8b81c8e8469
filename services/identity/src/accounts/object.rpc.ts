import { toMessage } from '@coffer/kit/rpc/message'
import { readsOf } from '@coffer/kit/rpc/objects'
import { callerOf } from '@coffer/kit/rpc/rpc'
import { ApiKeySchema } from '@coffer/proto/identity/v1/api_key'
import type { ObjectService } from '@coffer/proto/identity/v1/object'
import type { ServiceImpl } from '@connectrpc/connect'
import { listApiKeys } from '../api-keys/api-key.sql.ts'
import { findUser } from '../book/account.sql.ts'
import { userMessage } from '../book/account.ts'
import type { IdentityDeps } from '../deps.ts'

/**
 * Returns the RPC handler that reads objects of several kinds. API keys may read neither users nor
 * API keys, as in the RPCs for single objects (docs/security.md#who-may-do-what).
 */
export function objectRoutes({
  database,
}: Pick<IdentityDeps, 'database'>): ServiceImpl<typeof ObjectService> {
  return {
    readObjects: async ({ objects }, context) => {
      const { accountId, userId, kind } = callerOf(context)
      const { of } = readsOf(objects)
      const own = of('account').length > 0 ? await findUser(database, accountId, userId) : null
      const { account } = own ? userMessage(own) : {}
      const shown = account ? { account } : {}
      if (kind !== 'session') return { ...shown, refusedKinds: ['api_key', 'user'] }
      const keyIds = new Set(of('api_key').map(({ objectId }) => objectId))
      const keys = keyIds.size > 0 ? await listApiKeys(database, accountId) : []
      const apiKeys = keys
        .filter(({ apiKeyId }) => keyIds.has(apiKeyId))
        .map((key) => toMessage(ApiKeySchema, key))
      const users = []
      for (const { objectId } of of('user')) {
        const user = await findUser(database, accountId, objectId)
        if (user) users.push(userMessage(user))
      }
      return { ...shown, apiKeys, users }
    },
  }
}
