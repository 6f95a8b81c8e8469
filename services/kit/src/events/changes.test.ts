import type { DescMessage } from '@bufbuild/protobuf'
import { AggregatorSyncRequestedSchema } from '@coffer/proto/aggregatorsync/v1/events'
import { FeedSyncRequestedSchema } from '@coffer/proto/feedsync/v1/events'
import { MailRequestedSchema } from '@coffer/proto/identity/v1/events'
import { LinkCreatedSchema } from '@coffer/proto/ledger/v1/events'
import { expect, test } from '@jest/globals'
import { subjectOf } from './changes.ts'

/** Returns the paths of the lists and maps in a message and in the messages within it. */
function listsIn(message: DescMessage, path: string = message.name): string[] {
  return message.fields.flatMap((field) => {
    const at = `${path}.${field.localName}`
    const nested = field.message ? listsIn(field.message, at) : []
    return field.fieldKind === 'list' || field.fieldKind === 'map' ? [at, ...nested] : nested
  })
}

test('the only list in an event is one that its producer splits into pages of 200', () => {
  const oneOfEach = [
    AggregatorSyncRequestedSchema,
    FeedSyncRequestedSchema,
    MailRequestedSchema,
    LinkCreatedSchema,
  ]
  const events = oneOfEach.flatMap(({ file }) => file.messages)
  expect(events.length).toBeGreaterThan(15)
  // The ledger splits it, see `envelopeChanges` and the test of a booking of many envelopes.
  expect(events.flatMap((event) => listsIn(event))).toEqual(['EnvelopesChanged.envelopes'])
})

test('a message has the subject of its service and its name', () => {
  expect(subjectOf('coffer.feedsync.v1.FeedSyncRequested')).toBe('feedsync.feed-sync-requested')
})
