import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { Cause, ObjectChange } from '@coffer/proto/changes/v1/changes'
import { z } from 'zod'

/** A change of an object in the feed of its account. */
export const Entry = z.object({
  accountId: z.string(),
  /** Hybrid logical clock in µs, larger than that of every earlier entry of the account. */
  position: z.bigint(),
  changeId: z.string(),
  type: z.string(),
  objectId: z.string(),
  bankAccountId: z.string().nullable(),
  version: z.bigint(),
  at: z.date(),
  actor: z.string(),
  causeId: z.string().nullable(),
})
export type Entry = z.infer<typeof Entry>

/** An entry without a position, of the event with this ID. */
export type NewEntry = Omit<Entry, 'position'> & { eventId: string; index: number }

/** An event of any service that tells of changed objects. */
export interface ObjectsChanged {
  accountId: string
  objects: ObjectChange[]
  cause?: Cause | undefined
}

/**
 * Returns the entries of an event with these parts, one for each object. Their IDs are those of the
 * event with the number of the object, so they are the same at each delivery.
 */
export function entriesOf(
  parts: readonly ObjectsChanged[],
  { eventId, now }: { eventId: string; now: Date },
): NewEntry[] {
  return parts
    .flatMap((part) => entriesOfPart(part, now))
    .map((entry, index) => ({ ...entry, eventId, index, changeId: `${eventId}-${index}` }))
}

function entriesOfPart({ accountId, objects, cause }: ObjectsChanged, now: Date) {
  const { actor = 'job', causeId = '', at } = cause ?? {}
  return objects.map(({ type, objectId, bankAccountId = null, version }) => ({
    accountId,
    type,
    objectId,
    bankAccountId,
    version,
    at: at ? timestampDate(at) : now,
    actor,
    causeId: causeId || null,
  }))
}

/** A part of the feed of an account, as it was read. */
export interface FeedPage {
  entries: readonly Entry[]
  /** Position of the latest entry that was read, also of one that the types leave out. */
  readTo: bigint | null
  /** Whether the feed may have entries after `readTo`. */
  isFull: boolean
}

/** Returns at most `limit` entries of what was read, and the position after which to go on. */
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
