import { ApiKeySchema, ApiKeyService } from '@coffer/proto/identity/v1/api_key'
import { values } from '@coffer/proto/values'
import { z } from 'zod'
import { proofOfWorkKeys, withProofOfWork } from '../../auth/proof-of-work.ts'
import type { RouteDeps } from '../../deps.ts'
import { valuesOf } from '../../http/bodies/update.ts'
import { name, nullOr, oneOf, timestamp } from '../../http/fields/fields.ts'
import { type Route, route } from '../../http/route.ts'

/** Returns the routes of API keys. Only sessions manage keys (docs/sign-in.md#api-keys). */
export function apiKeyRoutes({ config, mesh, sessions }: RouteDeps): Route[] {
  const keys = mesh.client('identity', ApiKeyService)
  return [
    route({
      id: 'listApiKeys',
      tag: 'Security',
      method: 'GET',
      path: '/api/keys',
      summary: 'API keys of the account, newest first',
      description: 'Without secrets and without revoked keys. Takes a session, never an API key.',
      since: '0.1.0',
      auth: 'session',
      pagedBy: { id: 'apiKeyId', newestFirst: true },
      answer: { list: ApiKeySchema },
      handler: async ({ options }) => (await keys.listApiKeys({}, options)).apiKeys,
    }),
    route({
      id: 'createApiKey',
      tag: 'Security',
      method: 'POST',
      path: '/api/keys',
      summary: 'Create an API key; its secret is in this answer only',
      description:
        'Takes a session, never an API key: a leaked key must not create others ' +
        '(docs/sign-in.md#api-keys).',
      since: '0.1.0',
      auth: 'paidSession',
      hasSecret: true,
      body: z.strictObject({
        name: name.describe(
          'Name, unique among the keys that are not revoked, ignoring case and accents',
        ),
        expiresAt: nullOr(timestamp)
          .optional()
          .describe('Expiry in the future; null or not sent: the key works until it is revoked'),
        scope: oneOf(values['ApiKey.scope'])
          .optional()
          .describe('read: only requests without effects. Default: full'),
        ...proofOfWorkKeys(config),
      }),
      answer: ApiKeySchema,
      handler: async ({ body, options }) => {
        const key = valuesOf(withProofOfWork(body))
        const { apiKey } = await keys.createApiKey(key, options)
        return apiKey
      },
    }),
    route({
      id: 'deleteApiKey',
      tag: 'Security',
      method: 'DELETE',
      path: '/api/keys/:apiKeyId',
      summary: 'Revoke an API key',
      description: 'The key is refused from now on. Revoking it again is 400.',
      since: '0.1.0',
      auth: 'session',
      ...(config.proofOfWorkEnabled ? { body: z.strictObject(proofOfWorkKeys(config)) } : {}),
      handler: async ({ params, body, options }) => {
        await keys.deleteApiKey({ ...params, ...withProofOfWork(body ?? {}) }, options)
        sessions.forget((sent) => sent.kind === 'key' && sent.apiKeyId === params.apiKeyId)
      },
    }),
  ]
}
