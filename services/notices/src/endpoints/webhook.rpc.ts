import { randomBytes } from 'node:crypto'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { requireWithin } from '@coffer/kit/database/account-bound.sql'
import type { Transaction } from '@coffer/kit/database/database'
import type { Caller } from '@coffer/kit/rpc/caller'
import { invalid } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { requireMatch } from '@coffer/kit/rpc/object-tag'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import { WebhookSchema, type WebhookService } from '@coffer/proto/notices/v1/webhook'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { settings } from '../config.ts'
import {
  beginAnew,
  beginAtEnd,
  deleteWebhook,
  getWebhook,
  giveUpPending,
  insertWebhook,
  listWebhooks,
  lockWebhook,
  type ShownWebhook,
  saveWebhook,
  tellUpdate,
  type WebhookKey,
  webhookBound,
} from './webhook.sql.ts'
import { changeWebhook, checkWebhook, type StatedFields, type Webhook } from './webhook.ts'
import { deleteFormerSecrets, endSecrets, insertSecret } from './webhook-secret.sql.ts'
import {
  findEndProblem,
  formerEnd,
  secretBytes,
  secretOwner,
  webhookSecret,
} from './webhook-secret.ts'

type Deps = Pick<ServiceDeps<typeof settings>, 'config' | 'database' | 'secrets' | 'clock'>

/** Returns the RPC handlers of webhooks (docs/changes/own-webhooks.md). */
export function webhookRoutes(deps: Deps): ServiceImpl<typeof WebhookService> {
  const { config, database, clock } = deps
  const allowed = config.webhookHosts
  return {
    listWebhooks: async (_, context) => {
      const listed = await listWebhooks(database, callerOf(context).accountId, clock())
      return { webhooks: listed.map((webhook) => render(webhook)) }
    },
    getWebhook: async ({ webhookId }, context) => {
      const { accountId } = callerOf(context)
      return { webhook: render(await getWebhook(database, { accountId, webhookId }, clock())) }
    },
    createWebhook: async (request, context) => ({
      webhook: await createWebhook(deps, request, callerOf(context)),
    }),
    updateWebhook: async ({ webhookId, types, ...request }, context) => {
      const key = { accountId: callerOf(context).accountId, webhookId }
      const { url, description, isEnabled } = request
      const change = statedOf({ url, description, isEnabled, types: types?.types })
      const now = clock()
      const shown = await database.transaction(async (tx) => {
        await updateWebhook(tx, await lockAsRead(tx, key, context), change, { allowed, now })
        return await getWebhook({ pool: tx }, key, now)
      })
      return { webhook: render(shown) }
    },
    deleteWebhook: async ({ webhookId }, context) => {
      const key = { accountId: callerOf(context).accountId, webhookId }
      await database.transaction(async (tx) => {
        await deleteWebhook(tx, await lockAsRead(tx, key, context), clock())
      })
      return {}
    },
    rotateSecret: async ({ webhookId, formerEndsAt }, context) => {
      const key = { accountId: callerOf(context).accountId, webhookId }
      const now = clock()
      await getWebhook(database, key, now)
      const stated = formerEndsAt ? timestampDate(formerEndsAt) : null
      const problem = findEndProblem(stated, now)
      if (problem !== null) throw invalid({ formerEndsAt: problem })
      const { secret, insert } = await createSecret(deps, key, now)
      const shown = await database.transaction(async (tx) => {
        await lockWebhook(tx, key)
        await endSecrets(tx, key, { endsAt: formerEnd(stated, now), now })
        await insert(tx)
        await tellUpdate(tx, key, now)
        return await getWebhook({ pool: tx }, key, now)
      })
      return { webhook: render(shown, secret) }
    },
    endFormerSecret: async ({ webhookId }, context) => {
      const key = { accountId: callerOf(context).accountId, webhookId }
      const now = clock()
      const shown = await database.transaction(async (tx) => {
        await lockWebhook(tx, key)
        await deleteFormerSecrets(tx, key)
        await tellUpdate(tx, key, now)
        return await getWebhook({ pool: tx }, key, now)
      })
      return { webhook: render(shown) }
    },
  }
}

async function createWebhook(
  deps: Deps,
  { url, types, description }: StatedFields,
  { accountId, userId: createdBy, kind }: Caller,
) {
  const { config, database, clock } = deps
  const now = clock()
  const webhook: Webhook = {
    accountId,
    webhookId: newId('hook'),
    ...checkWebhook({ url, types, description }, config.webhookHosts),
    isEnabled: true,
    disabledReason: null,
    disabledAt: null,
    createdAt: now,
    createdBy,
    createdWith: kind === 'key' ? 'key' : 'session',
    updatedAt: now,
  }
  const { secret, insert } = await createSecret(deps, webhook, now)
  await database.transaction(async (tx) => {
    await insertWebhook(tx, webhook)
    await requireWithin(tx, webhookBound(config.webhooksMax, accountId))
    await insert(tx)
  })
  return render({ ...webhook, failingSince: null, formerSecretEndsAt: null }, secret)
}

type Change = Parameters<typeof changeWebhook>[1]

/** Returns the fields that are set in a request. */
function statedOf(fields: { [Name in keyof Change]?: Change[Name] | undefined }): Change {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Change
}

/**
 * Changes a webhook. Switching it off gives up its pending deliveries; switching it on begins at
 * the latest change; with another URL, pending deliveries are due at once.
 */
async function updateWebhook(
  tx: Transaction,
  before: Webhook,
  change: Change,
  by: Parameters<typeof changeWebhook>[2],
): Promise<void> {
  const after = changeWebhook(before, change, by)
  await saveWebhook(tx, after)
  if (before.isEnabled && !after.isEnabled) await giveUpPending(tx, after, 'was switched off')
  if (!before.isEnabled && after.isEnabled) await beginAtEnd(tx, after)
  if (before.isEnabled && after.isEnabled && before.url !== after.url) {
    await beginAnew(tx, after, by.now)
  }
}

/** Locks and returns a webhook. Throws refused (412) unless it is as `If-Match` requires. */
async function lockAsRead(
  tx: Transaction,
  key: WebhookKey,
  context: HandlerContext,
): Promise<Webhook> {
  const webhook = await lockWebhook(tx, key)
  requireMatch(context, WebhookSchema, toMessage(WebhookSchema, webhook))
  return webhook
}

/** Returns a new secret, and the function that stores it sealed. */
async function createSecret(
  { secrets }: Pick<Deps, 'secrets'>,
  { accountId, webhookId }: WebhookKey,
  now: Date,
) {
  const key = { accountId, webhookId, webhookSecretId: newId('whs') }
  const secret = webhookSecret(randomBytes(secretBytes))
  const sealed = await secrets.seal(secret, secretOwner(key))
  return { secret, insert: (tx: Transaction) => insertSecret(tx, key, { ...key, now, sealed }) }
}

function render(webhook: ShownWebhook, secret?: string) {
  return toMessage(WebhookSchema, { ...webhook, ...(secret === undefined ? {} : { secret }) })
}
