import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { boot, eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { changeOf, emit, subjectOf } from '@coffer/kit/events/changes'
import { newId } from '@coffer/kit/values/id'
import { FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import { LinkCreatedSchema, LinkDeletedSchema } from '@coffer/proto/ledger/v1/events'
import { expect, test } from '@jest/globals'
import { feedSync } from '../src/service.ts'

const feedUrl = 'https://feed.example/v1'

const booted = started(() => boot([feedSync], { COFFER_FEED_ALLOWED_URLS: feedUrl }))

/** Publishes an event of the ledger through the outbox of feed-sync. */
async function publishAsLedger<Desc extends DescMessage>(
  schema: Desc,
  message: MessageInitShape<Desc> & { accountId: string; linkId: string },
): Promise<void> {
  const subject = { accountId: message.accountId, entityId: message.linkId, version: 1n }
  await booted
    .database('feed-sync')
    .transaction((tx) => emit(tx, changeOf(schema, subject, message)))
}

async function aPendingFeedLink() {
  const accountId = newId('acct')
  const caller = booted.as(accountId)
  const feedLinks = booted.client('feed-sync', FeedLinkService)
  const request = { name: 'Home', feedUrl, apiKey: 'abc' }
  const feedLinkId = (await feedLinks.createFeedLink(request, caller)).feedLink?.feedLinkId ?? ''
  const status = async () =>
    (await feedLinks.getFeedLink({ feedLinkId }, caller)).feedLink?.status ?? ''
  return {
    link: { accountId, linkId: newId('link'), linkType: 'feed', feedLinkId },
    status,
    reaches: (wanted: string) => eventually(status, (found) => found === wanted),
  }
}

test('the event of a link activates its connection without the call', async () => {
  const { link, reaches } = await aPendingFeedLink()
  await publishAsLedger(LinkCreatedSchema, link)
  await reaches('active')
  await publishAsLedger(LinkDeletedSchema, link)
  await reaches('deactivated')
})

test('a deletion that arrives before the creation leaves no active connection', async () => {
  const { link, status, reaches } = await aPendingFeedLink()
  await publishAsLedger(LinkDeletedSchema, link)
  await reaches('deactivated')
  const next = await aPendingFeedLink()
  await publishAsLedger(LinkCreatedSchema, link)
  await publishAsLedger(LinkCreatedSchema, next.link)
  await next.reaches('active')
  expect(await status()).toBe('deactivated')
})

test('events of links of other kinds have no effect', async () => {
  const { link, status } = await aPendingFeedLink()
  const { feedLinkId: _, ...manual } = { ...link, linkType: 'manual' }
  await publishAsLedger(LinkCreatedSchema, manual)
  await publishAsLedger(LinkDeletedSchema, manual)
  const next = await aPendingFeedLink()
  await publishAsLedger(LinkCreatedSchema, next.link)
  await next.reaches('active')
  expect(await status()).toBe('pending')
})

test('the event of a link whose connection was removed is ignored', async () => {
  const [accountId, changeId] = [newId('acct'), newId('chg')]
  const link = { accountId, linkId: newId('link'), linkType: 'feed', feedLinkId: newId('lfx') }
  const subject = subjectOf(LinkCreatedSchema.typeName)
  const handler = booted.host.services['feed-sync']?.handlers?.find(
    (one) => one.subject === subject,
  )
  const payload = toBinary(LinkCreatedSchema, create(LinkCreatedSchema, link))
  const handled = handler?.handle(payload, { accountId, changeId, consumer: 'feed-sync' })
  await expect(handled).resolves.toBeUndefined()
})
