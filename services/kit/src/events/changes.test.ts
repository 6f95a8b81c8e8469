import { type DescMessage, fromBinary } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { AggregatorSyncRequestedSchema } from '@coffer/proto/aggregatorsync/v1/events'
import { FeedSyncRequestedSchema } from '@coffer/proto/feedsync/v1/events'
import { MailRequestedSchema } from '@coffer/proto/identity/v1/events'
import { LinkCreatedSchema, ObjectsChangedSchema } from '@coffer/proto/ledger/v1/events'
import { expect, test } from '@jest/globals'
import { causedBy } from '../rpc/cause.ts'
import { entitiesMax, subjectOf } from './changes.ts'
import { objectsChanged } from './objects-changed.ts'

/** Returns the paths of the lists and maps in a message and in the messages within it. */
function listsIn(message: DescMessage, path: string = message.name): string[] {
  return message.fields.flatMap((field) => {
    const at = `${path}.${field.localName}`
    const nested = field.message ? listsIn(field.message, at) : []
    return field.fieldKind === 'list' || field.fieldKind === 'map' ? [at, ...nested] : nested
  })
}

test('the only lists in events are those that their producers split into pages of 200', () => {
  const oneOfEach = [
    AggregatorSyncRequestedSchema,
    FeedSyncRequestedSchema,
    MailRequestedSchema,
    LinkCreatedSchema,
  ]
  const events = oneOfEach.flatMap(({ file }) => file.messages)
  expect(events.length).toBeGreaterThan(15)
  // The ledger splits those of EnvelopesChanged, see `createChanges` and the test of a booking of
  // many envelopes. `objectsChanged` splits the other.
  const lists = new Set(events.flatMap((event) => listsIn(event)))
  expect([...lists].toSorted()).toEqual([
    'EnvelopesChanged.envelopes',
    'EnvelopesChanged.told',
    'EnvelopesChanged.told.objects',
    'ObjectsChanged.objects',
  ])
})

test('a message has the subject of its service and its name', () => {
  expect(subjectOf('coffer.feedsync.v1.FeedSyncRequested')).toBe('feedsync.feed-sync-requested')
})

test('changed objects are told with the cause, at most 200 in an event', () => {
  const now = new Date('2026-11-28T10:00:00Z')
  const save = { accountId: 'acc_1', now }
  const objects = Array.from({ length: entitiesMax + 1 }, (_, index) => {
    return { type: 'rule.updated', objectId: `rule_${index}` } as const
  })
  const cause = { actor: 'key', causeId: 'r-1' } as const
  const events = causedBy(cause, () => objectsChanged(ObjectsChangedSchema, save, objects))
  const told = events.map(({ payload }) => fromBinary(ObjectsChangedSchema, payload))
  expect(told.map((one) => one.objects.length)).toEqual([entitiesMax, 1])
  expect(told[0]).toMatchObject({ accountId: 'acc_1', cause })
  expect(told[0]?.cause?.at && timestampDate(told[0].cause.at)).toEqual(now)
  const version = BigInt(now.getTime()) * 1000n
  const last = { type: 'rule.updated', objectId: `rule_${entitiesMax}`, version }
  expect(told[1]?.objects).toMatchObject([last])
  expect(events[1]).toMatchObject({ entityId: `rule_${entitiesMax}`, version })
  expect(objectsChanged(ObjectsChangedSchema, save, [])).toEqual([])
  // Outside of calls and activities.
  const [alone] = objectsChanged(ObjectsChangedSchema, save, objects.slice(0, 1))
  const { cause: none } = fromBinary(ObjectsChangedSchema, alone?.payload ?? new Uint8Array())
  expect(none).toMatchObject({ actor: 'job', causeId: '' })
})
