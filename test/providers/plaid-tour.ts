import { join } from 'node:path'
import { z } from 'zod'
import { moveIn } from './plaid/household.ts'
import type { PlaidItem } from './plaid/item.ts'
import { type Plaid, startPlaid } from './plaid/plaid.ts'
import { openDiary } from './tour.ts'

/** A simulated Plaid for a tour: it keeps its items over restarts, and announces purchases. */
export interface PlaidTour extends AsyncDisposable {
  plaid: Plaid
  /** Number of purchases in earlier runs. */
  bought: number
  /** Lets every household buy something. */
  shop: (time: Date) => void
  /**
   * Sends a webhook for each item with changes that its client has not asked for. It is repeated
   * 30 times, because the link may not be created yet when the first one arrives.
   */
  announce: () => Promise<void>
}

const Item = z.object({
  itemId: z.string(),
  accessToken: z.string(),
  institutionId: z.string(),
  webhook: z.string().nullable(),
})

/** A line of the diary: an item is created or removed, or, without both, all go shopping. */
const Event = z.object({
  at: z.coerce.date(),
  created: Item.optional(),
  removed: z.string().optional(),
})
type Event = z.infer<typeof Event>

const announcementsMax = 30

/** Starts the simulated Plaid with the items that the data directory keeps. */
export async function openPlaidTour({
  dataDir,
  webhookOrigin,
  ...options
}: {
  port?: number
  clientId: string
  secret: string
  dataDir: string
  webhookOrigin: string
}): Promise<PlaidTour> {
  const { lines, note } = openDiary(join(dataDir, 'try-aggregator'))
  const noteEvent = (event: Event) => note(JSON.stringify(event))
  const plaid = await startPlaid(options)
  plaid.webhooks.origin = webhookOrigin
  const homes = new Map<string, { item: PlaidItem; shop: (time: Date) => void }>()
  /** Announcements that are left for an item, by its access token. */
  const news = new Map<unknown, number>()
  const settle = (item: PlaidItem, at: Date) => {
    homes.set(item.itemId, { item, ...moveIn(item, at) })
    news.set(item.accessToken, announcementsMax)
  }
  const shopAll = (at: Date) => {
    for (const { item, shop } of homes.values()) {
      shop(at)
      news.set(item.accessToken, announcementsMax)
    }
  }
  const past = lines.map((line) => Event.parse(JSON.parse(line)))
  for (const { at, created, removed } of past) {
    if (created) settle(plaid.createItem(created), at)
    else if (removed) homes.delete(removed)
    else shopAll(at)
  }
  plaid.users.set('user_good', (item) => {
    const at = new Date()
    noteEvent({ at, created: Item.parse(item) })
    settle(item, at)
  })
  const forgetRemoved = () => {
    for (const { item } of homes.values()) {
      if (!item.isRemoved) continue
      homes.delete(item.itemId)
      noteEvent({ at: new Date(), removed: item.itemId })
    }
  }
  return {
    plaid,
    bought: past.filter(({ created, removed }) => !created && !removed).length,
    shop: (at) => {
      dropRead(plaid, news)
      noteEvent({ at })
      shopAll(at)
    },
    announce: async () => {
      forgetRemoved()
      dropRead(plaid, news)
      for (const { item } of homes.values()) {
        const left = news.get(item.accessToken) ?? 0
        if (left === 0 || item.webhook === null) continue
        news.set(item.accessToken, left - 1)
        const webhook = plaid.webhooks.create(item, 'SYNC_UPDATES_AVAILABLE')
        // Coffer may be starting or stopping; the next announcement is due soon.
        await plaid.webhooks.send(webhook).catch(() => 0)
      }
    },
    [Symbol.asyncDispose]: () => plaid[Symbol.asyncDispose](),
  }
}

/** Drops the news of items whose changes a client has read since the last call. */
function dropRead({ calls }: Plaid, news: Map<unknown, number>): void {
  const unanswered = calls.filter(({ status }) => status === 0)
  for (const { path, status, request } of calls.splice(0, calls.length, ...unanswered)) {
    if (path === '/transactions/sync' && status === 200) news.delete(request?.access_token)
  }
}
