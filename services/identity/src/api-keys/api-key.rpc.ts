import { randomBytes } from 'node:crypto'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { requireWithin } from '@coffer/kit/database/account-bound.sql'
import { say } from '@coffer/kit/reasons/reasons'
import { duplicate, invalid, refused } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { newId } from '@coffer/kit/values/id'
import { ApiKeySchema, type ApiKeyService } from '@coffer/proto/identity/v1/api_key'
import type { ServiceImpl } from '@connectrpc/connect'
import { UniqueIntegrityConstraintViolationError } from 'slonik'
import { apiKeySecret, hashOf, secretBytes } from '../book/secret.ts'
import { signedIn } from '../book/signed-in.service.ts'
import type { IdentityDeps } from '../deps.ts'
import { consumeProofOfWork } from '../proof-of-work/proof-of-work.service.ts'
import { apiKeyBound, insertApiKey, listApiKeys, lockApiKey, revokeApiKey } from './api-key.sql.ts'
import { ApiKey, findApiKeyProblems } from './api-key.ts'

/** Returns the RPCs that manage API keys (docs/sign-in.md#api-keys); callers need a session. */
export function apiKeys(deps: IdentityDeps): ServiceImpl<typeof ApiKeyService> {
  const { config, database, clock } = deps
  return {
    listApiKeys: async (_, context) => {
      const { accountId } = signedIn(context)
      const keys = await listApiKeys(database, accountId)
      return { apiKeys: keys.map((key) => toMessage(ApiKeySchema, key)) }
    },
    createApiKey: async (request, context) => {
      const { accountId, userId } = signedIn(context)
      const name = request.name.trim()
      const expiresAt = request.expiresAt ? timestampDate(request.expiresAt) : null
      const scope = request.scope || 'full'
      const now = clock()
      const problems = findApiKeyProblems({ name, expiresAt, scope }, now)
      if (problems) throw invalid(problems)
      await consumeProofOfWork(deps, 'create_api_key', request.proofOfWork)
      const secret = apiKeySecret(randomBytes(secretBytes))
      const key = {
        apiKeyId: newId('key'),
        name,
        createdBy: userId,
        createdAt: now,
        updatedAt: now,
        deletedAt: null,
        expiresAt,
        scope: ApiKey.shape.scope.parse(scope),
        lastUsedAt: null,
      }
      try {
        await database.transaction(async (tx) => {
          await insertApiKey(tx, accountId, { ...key, secretHash: hashOf(secret) })
          await requireWithin(tx, apiKeyBound(config.apiKeysMax, accountId))
        })
      } catch (error) {
        throw error instanceof UniqueIntegrityConstraintViolationError
          ? duplicate('API key', { name: say('API_KEY_NAME_TAKEN', { name: error.detail ?? '' }) })
          : error
      }
      return { apiKey: toMessage(ApiKeySchema, { ...key, secret }) }
    },
    deleteApiKey: async ({ apiKeyId, proofOfWork }, context) => {
      const { accountId } = signedIn(context)
      await consumeProofOfWork(deps, 'delete_api_key', proofOfWork)
      const now = clock()
      await database.transaction(async (tx) => {
        const { deletedAt } = await lockApiKey(tx, accountId, apiKeyId)
        if (deletedAt) throw refused(say('API_KEY_REVOKED'))
        await revokeApiKey(tx, accountId, { apiKeyId, now })
      })
      return {}
    },
  }
}
