import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { Cause, ObjectChange } from '@coffer/proto/changes/v1/changes'
import { z } from 'zod'

/** A changed object of an event. Its version is an instant in µs, so it is exact up to 2^53−1. */
const EntryObject = z.object({
  type: z.string(),
  objectId: z.string(),
  bankAccountId: z.string().optional(),
  version: z.number(),
})

/** The changed objects of an event: a row of the feed of their account. */
export const FeedEvent = z.object({
  accountId: z.string(),
  /**
   * Position of the last object; the objects before it have the preceding numbers. A hybrid logical
   * clock in µs, larger than all earlier positions of the account.
   */
  position: z.bigint(),
  eventId: z.string(),
  /** Index of the first object within the event, since an event may have several rows. */
  firstIndex: z.number().int(),
  at: z.date(),
  actor: z.string(),
  causeId: z.string().nullable(),
  objects: z.array(EntryObject),
})
export type FeedEvent = z.infer<typeof FeedEvent>
export type NewFeedEvent = Omit<FeedEvent, 'position'>

/** A change of an object in the feed of its account. */
export interface Entry {
  accountId: string
  position: bigint
  changeId: string
  type: string
  objectId: string
  bankAccountId: string | null
  version: bigint
  at: Date
  actor: string
  causeId: string | null
}

/** An event about changed objects, of any service. */
export interface ObjectsChanged {
  accountId: string
  objects: readonly Omit<ObjectChange, '$typeName'>[]
  cause?: Cause | undefined
}

/** Returns the feed rows of an event; a part without objects has none. */
export function feedEventsOf(
  parts: readonly ObjectsChanged[],
  { eventId, now }: { eventId: string; now: Date },
): NewFeedEvent[] {
  let firstIndex = 0
  const rows: NewFeedEvent[] = []
  for (const { accountId, objects, cause } of parts) {
    const { actor = 'job', causeId = '', at } = cause ?? {}
    rows.push({
      accountId,
      eventId,
      firstIndex,
      at: at ? timestampDate(at) : now,
      actor,
      causeId: causeId || null,
      objects: objects.map(({ type, objectId, bankAccountId, version }) => {
        return { type, objectId, bankAccountId, version: Number(version) }
      }),
    })
    firstIndex += objects.length
  }
  return rows.filter(({ objects }) => objects.length > 0)
}

/**
 * Returns the entries of a row. Their IDs consist of the event's ID and the index of the object, so
 * they are the same at each redelivery of the event.
 */
export function entriesOf(row: FeedEvent): Entry[] {
  const { objects, eventId, firstIndex, position, ...shared } = row
  const before = position - BigInt(objects.length)
  return objects.map(({ type, objectId, bankAccountId = null, version }, index) => ({
    ...shared,
    position: before + BigInt(index + 1),
    changeId: `${eventId}-${firstIndex + index}`,
    type,
    objectId,
    bankAccountId,
    version: BigInt(version),
  }))
}

/** Entries that were read from the feed of an account. */
export interface FeedPage {
  entries: readonly Entry[]
  /** Position of the latest entry that was read, even if the filter by types leaves it out. */
  readTo: bigint | null
  /** Whether the feed may have entries after `readTo`. */
  isFull: boolean
}

/** Returns at most `limit` of the entries, and the position after which the next page begins. */
export function pageOf(
  { entries, readTo, isFull }: FeedPage,
  { after, limit }: { after: bigint; limit: number },
): { entries: readonly Entry[]; position: bigint; hasMore: boolean } {
  const page = entries.slice(0, limit)
  const last = page.at(-1)
  if (last && entries.length > limit) {
    return { entries: page, position: last.position, hasMore: true }
  }
  return { entries: page, position: readTo ?? after, hasMore: isFull }
}
