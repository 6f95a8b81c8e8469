import { type Booted, boot } from '@coffer/host/testing/boot'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import { DeliveryService } from '@coffer/proto/notices/v1/delivery'
import { WebhookService } from '@coffer/proto/notices/v1/webhook'
import type { settings } from '../src/config.ts'
import { deliveryRoutes } from '../src/deliveries/delivery.rpc.ts'
import { runWebhook } from '../src/deliveries/webhook-run.service.ts'
import { webhookRoutes } from '../src/endpoints/webhook.rpc.ts'
import { feedEventsOf } from '../src/feed/entry.ts'
import { appendEvents } from '../src/feed/feed.sql.ts'
import { notices } from '../src/service.ts'
import { type Receiver, startReceiver } from '../testing/webhook-receiver.ts'

type Deps = ServiceDeps<typeof settings>

/** The service without its dispatcher and sweeps: a test says when a webhook is served. */
export interface WebhookBoot extends Booted {
  deps: Deps
  receiver: Receiver
  /** Time of its RPCs; the present if null. Callers' tokens go by another clock. */
  rpcClock: { now: Date | null }
  /** Returns a new account with a webhook of the receiver. */
  account: (types?: string[], url?: string) => Promise<Account>
}

export interface Account {
  accountId: string
  webhookId: string
  secret: string
  /** Appends changes of objects to the feed; returns their IDs. */
  append: (...objectIds: string[]) => Promise<string[]>
  /** Delivers an event with changes of objects, perhaps again; returns the IDs of these. */
  deliver: (eventId: string, objectIds: string[]) => Promise<string[]>
  /** Serves the webhook, as a process that sees this database. */
  serve: (database?: Deps['database']) => ReturnType<typeof runWebhook>
  /** Time at which it is served; the present if null. */
  clock: { now: Date | null }
  /** Lets this many ms pass. */
  after: (ms: number) => void
  webhook: () => ReturnType<ReturnType<typeof clients>['webhooks']['get']>
  deliveries: (status?: string) => ReturnType<ReturnType<typeof clients>['deliveries']['list']>
  clients: ReturnType<typeof clients>
}

/** Boots the service, and a receiver that its settings allow. */
export async function bootWebhooks(environment: Record<string, string> = {}): Promise<WebhookBoot> {
  const receiver = await startReceiver()
  const rpcClock: WebhookBoot['rpcClock'] = { now: null }
  let deps: Deps | undefined
  const quiet = {
    ...notices,
    create: (given: Deps) => {
      deps = given
      const timed = { ...given, clock: () => rpcClock.now ?? new Date(), dispatcher: idle }
      return {
        routes: ((router) => {
          router.service(WebhookService, webhookRoutes(timed))
          router.service(DeliveryService, deliveryRoutes(timed))
        }) as ReturnType<typeof notices.create>['routes'],
      }
    },
  }
  const booted = await boot([quiet], {
    COFFER_WEBHOOK_ALLOWED_HOSTS: `${receiver.host},127.0.0.1:1`,
    ...environment,
  })
  const found = deps as Deps
  const account: WebhookBoot['account'] = async (types = [], url = receiver.url) => {
    const accountId = newId('acct')
    const of = clients(booted, accountId)
    const { webhookId, secret = '' } = await of.webhooks.create({ url, types })
    of.use(webhookId)
    const clock: Account['clock'] = { now: null }
    const time = () => clock.now ?? new Date()
    return {
      accountId,
      webhookId,
      secret,
      append: (...objectIds) => appendChanges(found, { accountId, objectIds }),
      deliver: (eventId, objectIds) => appendChanges(found, { accountId, eventId, objectIds }),
      serve: (database = found.database) =>
        runWebhook({ ...found, database, clock: time }, { accountId, webhookId }),
      clock,
      after: (ms) => {
        clock.now = new Date(time().getTime() + ms)
      },
      webhook: of.webhooks.get,
      deliveries: of.deliveries.list,
      clients: of,
    }
  }
  const dispose = async (): Promise<void> => {
    await booted[Symbol.asyncDispose]()
    await receiver[Symbol.asyncDispose]()
  }
  return { ...booted, deps: found, receiver, rpcClock, account, [Symbol.asyncDispose]: dispose }
}

const idle = { wake: () => {} }

/** Appends a change of each object; returns their IDs. */
async function appendChanges(
  deps: Deps,
  of: { accountId: string; objectIds: string[]; eventId?: string },
) {
  const { accountId, objectIds, eventId = newId('chg') } = of
  const objects = objectIds.map((objectId) => ({
    type: 'transaction.updated',
    objectId,
    version: 7n,
  }))
  const events = feedEventsOf([{ accountId, objects }], { eventId, now: new Date() })
  await appendEvents(deps.database, 'notices', events)
  return objectIds.map((_, index) => `${eventId}-${index}`)
}

function clients(booted: Booted, accountId: string) {
  const [webhooks, deliveries] = [
    booted.client('notices', WebhookService),
    booted.client('notices', DeliveryService),
  ]
  const as = booted.as(accountId)
  let webhookId = ''
  return {
    use: (id: string) => {
      webhookId = id
    },
    webhooks: {
      create: async (request: { url: string; types?: string[]; description?: string }) => {
        const { webhook } = await webhooks.createWebhook(request, as)
        return webhook as NonNullable<typeof webhook>
      },
      get: async () => (await webhooks.getWebhook({ webhookId }, as)).webhook,
      list: async () => (await webhooks.listWebhooks({}, as)).webhooks,
      update: async (change: object) => {
        return (await webhooks.updateWebhook({ ...change, webhookId }, as)).webhook
      },
      rotate: async (formerEndsAt?: { seconds: bigint; nanos: number }) => {
        const end = formerEndsAt ? { formerEndsAt } : {}
        return (await webhooks.rotateSecret({ webhookId, ...end }, as)).webhook
      },
      endFormer: () => webhooks.endFormerSecret({ webhookId }, as),
      remove: () => webhooks.deleteWebhook({ webhookId }, as),
    },
    deliveries: {
      list: async (status = '') => {
        return (await deliveries.listDeliveries({ webhookId, status, limit: 100 }, as)).deliveries
      },
      page: (limit: number, before?: string) => {
        const from = before === undefined ? {} : { before }
        return deliveries.listDeliveries({ webhookId, limit, ...from }, as)
      },
      get: (deliveryId: string) => deliveries.getDelivery({ webhookId, deliveryId }, as),
      resend: (deliveryId: string) => deliveries.resendDelivery({ webhookId, deliveryId }, as),
      resendSince: (since: { seconds: bigint; nanos: number }) => {
        return deliveries.resendSince({ webhookId, since }, as)
      },
      ping: () => deliveries.pingWebhook({ webhookId }, as),
    },
  }
}
