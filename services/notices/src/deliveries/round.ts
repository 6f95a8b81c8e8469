import type { Delivery } from './delivery.ts'

/** Deliveries of one object, in order: each is sent only after the one before has succeeded. */
export type Lane = Delivery[]

/**
 * Deliveries of a webhook that one round sends, with a lane for each object, and deliveries that
 * stay pending (`waiting`).
 */
export interface Round {
  lanes: Lane[]
  waiting: Delivery[]
}

/**
 * Selects the deliveries to send now: those of objects whose earliest delivery is due. `pending`
 * are stored, `fresh` are of changes that were just read. Selects at most `lanesMax` objects.
 * Objects with stored deliveries get half of these places, or more if objects with only fresh
 * deliveries need fewer, so that failing objects do not delay others.
 */
export function planRound(
  { pending, fresh }: { pending: readonly Delivery[]; fresh: readonly Delivery[] },
  { now, lanesMax }: { now: Date; lanesMax: number },
): Round {
  const lanes = Map.groupBy([...pending, ...fresh].sort(byPosition), ({ objectId }) => objectId)
  const isStored = new Set(pending.map(({ objectId }) => objectId))
  const due = [...lanes.values()].filter((lane) => isDue(lane[0], now))
  const [stored, others] = [true, false].map((isPending) => {
    return due.filter(([head]) => isStored.has(head?.objectId ?? '') === isPending)
  }) as [Lane[], Lane[]]
  const half = Math.max(lanesMax - others.length, Math.ceil(lanesMax / 2))
  const first = stored.slice(0, half)
  const chosen = [...first, ...others.slice(0, lanesMax - first.length)]
  const sent = new Set(chosen.flat())
  return { lanes: chosen, waiting: [...lanes.values()].flat().filter((one) => !sent.has(one)) }
}

function isDue(head: Delivery | undefined, now: Date): boolean {
  return !head?.nextAttemptAt || head.nextAttemptAt <= now
}

function byPosition(one: Delivery, other: Delivery): number {
  if (one.position !== other.position) return one.position < other.position ? -1 : 1
  return one.deliveryId < other.deliveryId ? -1 : 1
}

/**
 * Returns the pending deliveries after a round, as they are stored: only the earliest delivery of
 * an object has `nextAttemptAt`. `dueAt` is the earliest of these instants, null without any.
 */
export function settleWaiting(
  pending: readonly Delivery[],
  now: Date,
): { waiting: Delivery[]; dueAt: Date | null } {
  const lanes = Map.groupBy(pending.toSorted(byPosition), ({ objectId }) => objectId)
  const waiting = [...lanes.values()].flatMap(([head, ...rest]) => [
    ...(head ? [{ ...head, nextAttemptAt: head.nextAttemptAt ?? now }] : []),
    ...rest.map((one) => ({ ...one, nextAttemptAt: null })),
  ])
  const times = waiting.flatMap(({ nextAttemptAt }) => nextAttemptAt?.getTime() ?? [])
  return { waiting, dueAt: times.length === 0 ? null : new Date(Math.min(...times)) }
}
