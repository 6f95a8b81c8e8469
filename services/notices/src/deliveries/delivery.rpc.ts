import { timestampDate } from '@bufbuild/protobuf/wkt'
import { nextVersion } from '@coffer/kit/database/version'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid, refused } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import { dayMs } from '@coffer/kit/values/time'
import { DeliverySchema, type DeliveryService } from '@coffer/proto/notices/v1/delivery'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { getWebhook, lockWebhook, type WebhookKey } from '../endpoints/webhook.sql.ts'
import { requireEnabled } from '../endpoints/webhook.ts'
import {
  countPings,
  deletePending,
  getDelivery,
  insertDelivery,
  listDeliveries,
  lockDelivery,
  saveDelivery,
} from './delivery.sql.ts'
import { type Delivery, newDelivery, pingType, resent } from './delivery.ts'
import type { Dispatcher } from './dispatcher.service.ts'
import { noteDue, readAgain } from './progress.sql.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'> & { dispatcher: Pick<Dispatcher, 'wake'> }

const pingsMax = 10
const resendDays = 30

/** Returns the RPC handlers of deliveries (docs/changes/own-webhooks.md#deliveries). */
export function deliveryRoutes(deps: Deps): ServiceImpl<typeof DeliveryService> {
  const { database, clock, dispatcher } = deps
  return {
    listDeliveries: async ({ webhookId, status, before = null, limit }, context) => {
      const key = keyOf(context, webhookId)
      await getWebhook(database, key, clock())
      // Reads one row more than the limit: if it exists, there is a next page.
      const found = await listDeliveries(database, key, { status, before, limit: limit + 1 })
      const deliveries = found.slice(0, limit).map(render)
      return { deliveries, hasMore: found.length > limit }
    },
    getDelivery: async ({ webhookId, deliveryId }, context) => {
      const key = keyOf(context, webhookId)
      await getWebhook(database, key, clock())
      return { delivery: render(await getDelivery(database, key, deliveryId)) }
    },
    resendDelivery: async ({ webhookId, deliveryId }, context) => {
      const key = keyOf(context, webhookId)
      const now = clock()
      const delivery = await database.transaction(async (tx) => {
        requireEnabled(await lockWebhook(tx, key))
        const again = resent(await lockDelivery(tx, key, deliveryId), now)
        await saveDelivery(tx, again)
        await noteDue(tx, key, now)
        return again
      })
      dispatcher.wake([key])
      return { delivery: render(delivery) }
    },
    resendSince: async ({ webhookId, since }, context) => {
      const key = keyOf(context, webhookId)
      const now = clock()
      await getWebhook(database, key, now)
      const from = since ? timestampDate(since) : now
      const problem = findSinceProblem(from, now)
      if (problem !== null) throw invalid({ since: problem })
      // Positions are instants in µs. Subtracting 1 µs includes changes at the instant itself.
      const after = BigInt(from.getTime()) * 1_000n - 1n
      await database.transaction(async (tx) => {
        requireEnabled(await lockWebhook(tx, key))
        await deletePending(tx, key, after)
        await readAgain(tx, key, after)
      })
      dispatcher.wake([key])
      return {}
    },
    pingWebhook: async ({ webhookId }, context) => {
      const key = keyOf(context, webhookId)
      const delivery = createPing(key, clock())
      await database.transaction(async (tx) => {
        requireEnabled(await lockWebhook(tx, key))
        if ((await countPings(tx, key)) >= pingsMax) {
          throw refused(say('WEBHOOK_TESTS', { max: pingsMax }))
        }
        await insertDelivery(tx, delivery)
        await noteDue(tx, key, delivery.createdAt)
      })
      dispatcher.wake([key])
      return { delivery: render(delivery) }
    },
  }
}

function keyOf(context: HandlerContext, webhookId: string): WebhookKey {
  return { accountId: callerOf(context).accountId, webhookId }
}

function findSinceProblem(since: Date, now: Date): string | null {
  if (since > now) return say('NOT_PAST')
  const days = (now.getTime() - since.getTime()) / dayMs
  return days > resendDays ? say('RESEND_TOO_OLD', { max: resendDays }) : null
}

function createPing(key: WebhookKey, now: Date): Delivery {
  const { webhookId } = key
  return newDelivery({
    ...key,
    deliveryId: newId('dlv'),
    changeId: newId('ping'),
    type: pingType,
    objectId: webhookId,
    position: nextVersion(0n, now),
    at: now,
    data: { webhookId },
    now,
  })
}

function render(delivery: Delivery) {
  return toMessage(DeliverySchema, delivery)
}
