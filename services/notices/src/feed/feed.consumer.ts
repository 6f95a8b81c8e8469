import { createBatcher } from '@coffer/kit/database/batch'
import { type Delivery, type Handler, on } from '@coffer/kit/events/handler'
import { publishProgress } from '@coffer/kit/events/progress'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { ObjectsChangedSchema as ofAggregator } from '@coffer/proto/aggregatorsync/v1/events'
import { ObjectsChangedSchema as ofBudgeting } from '@coffer/proto/budgeting/v1/events'
import { ObjectsChangedSchema as ofFeed } from '@coffer/proto/feedsync/v1/events'
import { ObjectsChangedSchema as ofIdentity } from '@coffer/proto/identity/v1/events'
import { EnvelopesChangedSchema, ObjectsChangedSchema } from '@coffer/proto/ledger/v1/events'
import { ObjectsChangedSchema as ofNotices } from '@coffer/proto/notices/v1/events'
import { feedEventsOf, type NewFeedEvent, type ObjectsChanged } from './entry.ts'
import { appendEvents } from './feed.sql.ts'
import { type Receiver, receiversOf } from './receivers.ts'

const batch = { sizeMax: 64, waitingMax: 1_024, isGathered: true }

type Deps = Pick<ServiceDeps, 'database' | 'broker' | 'clock'> & {
  /** Called after the commit with the webhooks that get new entries; must not throw. */
  onAppended: (receivers: readonly Receiver[]) => void
}

/**
 * Returns the handlers of events about changed objects. Batching: queued events are appended by one
 * statement; if it fails, each event alone, so that one faulty event does not block others. After
 * the commit, wakes the clients that wait for the feed, by an unstored message, and the webhooks.
 */
export function feedHandlers({ database, broker, clock, onAppended }: Deps): Handler[] {
  const store = async (consumer: string, events: readonly NewFeedEvent[][]): Promise<void> => {
    const told = await appendEvents(database, consumer, events.flat())
    for (const accountId of new Set(told.map((row) => row.accountId))) {
      publishProgress(broker, { accountId, id: 'changes' }, {})
    }
    onAppended(receiversOf(told, events.flat()))
  }
  const settle = async (consumer: string, events: NewFeedEvent[][]) => {
    const all = await Promise.allSettled([store(consumer, events)])
    const isWhole = all[0]?.status === 'fulfilled' || events.length === 1
    if (isWhole) return events.flatMap(() => all)
    return Promise.allSettled(events.map((event) => store(consumer, [event])))
  }
  const batched = createBatcher<NewFeedEvent[], void>(settle, batch)
  const append = async (parts: readonly ObjectsChanged[], delivery: Delivery): Promise<void> => {
    const { changeId, consumer } = delivery
    const events = feedEventsOf(parts, { eventId: changeId, now: clock() })
    if (events.length > 0) await batched(consumer, events)
  }
  const tell = (event: ObjectsChanged, delivery: Delivery) => append([event], delivery)
  return [
    on(EnvelopesChangedSchema, ({ told }, delivery) => append(told, delivery)),
    on(ObjectsChangedSchema, tell),
    on(ofBudgeting, tell),
    on(ofIdentity, tell),
    on(ofAggregator, tell),
    on(ofFeed, tell),
    on(ofNotices, tell),
  ]
}
