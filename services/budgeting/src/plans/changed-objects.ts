import { isDeepStrictEqual } from 'node:util'
import type { TrackedRows } from '@coffer/kit/database/tracked-rows'
import type { Cause, ChangedObject, ObjectType } from '@coffer/kit/values/changed-object'
import { FundingSchedule } from '../book/funding-schedule.ts'
import { Spending } from '../book/spending.ts'

/** Changes of objects, as clients see them, that a save makes for one cause. */
export interface ToldObjects {
  cause: Cause
  objects: ChangedObject[]
}

interface SavedRows {
  plans: TrackedRows<Spending>
  schedules: TrackedRows<FundingSchedule>
  /** The cause of the last change of each row, by its ID. */
  causes: ReadonlyMap<string, Cause>
}

/** Fields of plans that are hidden from clients. */
const hidden: readonly string[] = [
  'openingKey',
  'openingBody',
  'openingAttempts',
  'closingUntil',
  'amountsVersion',
  'calculatedAt',
]

/**
 * Returns the objects that a save changes for clients, by cause
 * (docs/events.md#objects-that-changed). Rows without a cause are left out. Deleted spending
 * objects are left out too: the ledger publishes them with its closed envelopes.
 */
export function toldObjects(
  saved: SavedRows,
  { bankAccountId, version }: { bankAccountId: string; version: bigint },
): ToldObjects[] {
  const told = new Map<Cause, ChangedObject[]>()
  for (const [objectId, type] of [...spendingTypes(saved), ...scheduleTypes(saved)]) {
    const cause = saved.causes.get(objectId)
    if (!cause) continue
    told.set(cause, [...(told.get(cause) ?? []), { type, objectId, bankAccountId, version }])
  }
  return [...told].map(([cause, objects]) => ({ cause, objects }))
}

type TypeOf = [objectId: string, type: ObjectType]

/** A plan in state `opening` is hidden from clients: it is published as created once it is open. */
function spendingTypes({ plans: { read, current } }: SavedRows): TypeOf[] {
  return [...current].flatMap(([id, after]): TypeOf[] => {
    const before = read.get(id)
    if (before === after || after.state !== 'open') return []
    if (before?.state !== 'open') return [[id, 'spending.created']]
    return differs(Spending.shape, before, after) ? [[id, 'spending.updated']] : []
  })
}

function scheduleTypes({ schedules: { read, current } }: SavedRows): TypeOf[] {
  return [...current].flatMap(([id, after]): TypeOf[] => {
    const before = read.get(id)
    if (before === after || before?.deletedAt) return []
    if (after.deletedAt !== null) return [[id, 'funding_schedule.deleted']]
    if (!before) return [[id, 'funding_schedule.created']]
    const isChanged = differs(FundingSchedule.shape, before, after)
    return isChanged ? [[id, 'funding_schedule.updated']] : []
  })
}

/** Returns whether a field that clients see differs. */
function differs<Row extends object>(shape: object, before: Row, after: Row): boolean {
  const fields = Object.keys(shape) as (keyof Row & string)[]
  return fields.some((field) => {
    return !hidden.includes(field) && !isDeepStrictEqual(before[field], after[field])
  })
}
