import type {
  Delivery,
  ListChangesResponse,
  UpdateWebhookData,
  Webhook,
} from '@coffer/client/types'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { coffer } from '../../../api/client.ts'

export type { Delivery, Webhook }
export type Change = ListChangesResponse['changes'][number]
export type WebhookChange = UpdateWebhookData['body']

/** Polling interval of deliveries in ms: the change feed does not contain them. */
const deliveryMs = 3_000

/** Webhooks of the account, newest first; at most 20. */
export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: async ({ signal }) => (await coffer.listWebhooks({ signal })).data.webhooks,
})

/** Selects one webhook, as a list: empty if it does not exist. */
export function webhookQuery(webhookId: string) {
  return queryOptions({
    ...webhooksQuery,
    select: (all: Webhook[]) => all.filter((one) => one.webhookId === webhookId),
  })
}

/** Deliveries of the last 30 days, newest first, of one status or of all; an infinite query. */
export function deliveriesQuery(webhookId: string, status: Delivery['status'] | undefined) {
  const path = { webhookId }
  return infiniteQueryOptions({
    queryKey: ['webhooks', webhookId, 'deliveries', status],
    queryFn: async ({ pageParam, signal }) => {
      const after = pageParam === '' ? {} : { after: pageParam }
      const query = { limit: 25, ...(status ? { status } : {}), ...after }
      return (await coffer.listDeliveries({ path, query, signal })).data
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) > 1 ? false : deliveryMs),
  })
}
