import { create } from '@bufbuild/protobuf'
import { toMessage } from '@coffer/kit/rpc/message'
import { FeedLinkSchema, ListFeedLinksResponseSchema } from '@coffer/proto/feedsync/v1/feed_link'
import { LinkSchema } from '@coffer/proto/ledger/v1/link'
import { TransactionSchema } from '@coffer/proto/ledger/v1/transaction'
import { BankAccountSyncHealthSchema } from '@coffer/proto/sync/v1/health'
import { expect, test } from '@jest/globals'
import { toRest } from '../../src/http/answers/rest.ts'

const createdAt = new Date('2026-01-02T03:04:05Z')
const link = {
  accountId: 'acct_1',
  linkId: 'link_1',
  linkType: 'manual',
  feedLinkId: null,
  institutionName: 'Bank',
  description: null,
  createdAt,
  createdBy: 'user_1',
  updatedAt: new Date('2026-01-02T03:04:05.120Z'),
  deletedAt: null,
}

test('an unset field is null over REST, or omitted by its option', () => {
  expect(toRest(LinkSchema, toMessage(LinkSchema, link))).toEqual({
    linkId: 'link_1',
    linkType: 'manual',
    institutionName: 'Bank',
    description: null,
    createdAt: '2026-01-02T03:04:05Z',
    createdBy: 'user_1',
    updatedAt: '2026-01-02T03:04:05.120Z',
    deletedAt: null,
  })
  const feed = toMessage(LinkSchema, { ...link, feedLinkId: 'lfx_1', description: '' })
  expect(toRest(LinkSchema, feed)).toMatchObject({ feedLinkId: 'lfx_1', description: '' })
})

test('amounts are integers, flags stay, an empty list is null by its option', () => {
  const amount = BigInt(Number.MAX_SAFE_INTEGER)
  const message = create(TransactionSchema, { amount: -amount, isPending: false })
  const rendered = toRest(TransactionSchema, message)
  expect(rendered).toMatchObject({ amount: -9_007_199_254_740_991, isPending: false })
  expect(rendered).toMatchObject({ categories: null })
  expect(rendered).not.toHaveProperty('spendingAmount')
  const spent = create(TransactionSchema, { spendingAmount: 0n, categories: ['Food', 'Tea'] })
  expect(toRest(TransactionSchema, spent)).toMatchObject({
    spendingAmount: 0,
    categories: ['Food', 'Tea'],
  })
})

test('an empty text of a field that is not optional is omitted by its option', () => {
  const ofAggregator = create(BankAccountSyncHealthSchema, { bankAccountId: 'bac_1' })
  expect(toRest(BankAccountSyncHealthSchema, ofAggregator)).toEqual({
    bankAccountId: 'bac_1',
    status: '',
    lastSuccess: null,
    failuresInRow: 0,
    lastError: null,
  })
  const ofFeed = create(BankAccountSyncHealthSchema, { feedStatus: 'ACTIVE' })
  expect(toRest(BankAccountSyncHealthSchema, ofFeed)).toMatchObject({ feedStatus: 'ACTIVE' })
  const blank = create(LinkSchema, { feedLinkId: '' })
  expect(toRest(LinkSchema, blank)).toMatchObject({ feedLinkId: '' })
})

test('nested messages are rendered by the options of their own fields', () => {
  const feedLink = toMessage(FeedLinkSchema, { feedLinkId: 'lfx_1', name: 'Home', createdAt })
  const list = create(ListFeedLinksResponseSchema, { feedLinks: [feedLink, feedLink] })
  const rendered = {
    feedLinkId: 'lfx_1',
    name: 'Home',
    apiUrl: '',
    status: '',
    lastManualSync: null,
    lastSuccessfulUpdate: null,
    lastAttemptedUpdate: null,
    updatedAt: null,
    createdAt: '2026-01-02T03:04:05Z',
    createdBy: '',
  }
  expect(toRest(ListFeedLinksResponseSchema, list)).toEqual({ feedLinks: [rendered, rendered] })
})
