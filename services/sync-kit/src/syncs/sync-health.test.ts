import { create, type DescMessage } from '@bufbuild/protobuf'
import { file_coffer_feedsync_v1_feed_sync as former } from '@coffer/proto/feedsync/v1/feed_sync'
import {
  file_coffer_sync_v1_health as contract,
  SyncHealthSchema,
} from '@coffer/proto/sync/v1/health'
import { expect, test } from '@jest/globals'
import { toFormerHealth } from './sync-health.ts'

const fieldsOf = ({ fields }: DescMessage) =>
  fields.map(({ name, number, proto }) => [name, number, proto.type, proto.label])

test.each(contract.messages.map((one) => [one.name, one] as const))(
  'a gateway of 0.2 reads each field of %s',
  (name, message) => {
    const same = former.messages.find((one) => one.name === name)
    expect(same && fieldsOf(same)).toEqual(fieldsOf(message))
  },
)

test('a health for a gateway of 0.2 has the values of the health', () => {
  const bankAccounts = [{ bankAccountId: 'bac_1', status: 'active', syncCount: 3n }]
  const health = create(SyncHealthSchema, { linkId: 'link_1', failuresInRow: 2, bankAccounts })
  expect(toFormerHealth(health)).toMatchObject({
    $typeName: 'coffer.feedsync.v1.SyncHealth',
    linkId: 'link_1',
    failuresInRow: 2,
    bankAccounts,
  })
})
