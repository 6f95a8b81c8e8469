import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf'
import { changeOf, emit } from '@coffer/kit/events/changes'
import { type Booted, boot, eventually } from '@coffer/kit/testing/boot'
import { newId } from '@coffer/kit/values/id'
import { FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import { LinkCreatedSchema, LinkDeletedSchema } from '@coffer/proto/ledger/v1/events'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { feedSync } from '../src/service.ts'

const feedUrl = 'https://feed.example/v1'

let booted: Booted

beforeAll(async () => {
  booted = await boot([feedSync], { COFFER_FEED_ALLOWED_URLS: feedUrl })
})

afterAll(async () => {
  await booted[Symbol.asyncDispose]()
})

/** Publishes what the ledger would, through this service's own changes. */
async function ledgerSays<Desc extends DescMessage>(
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

test('a link over a connection makes it active though nobody called', async () => {
  const { link, reaches } = await aPendingFeedLink()
  await ledgerSays(LinkCreatedSchema, link)
  await reaches('active')
  await ledgerSays(LinkDeletedSchema, link)
  await reaches('deactivated')
})

test('a link deleted before it was heard of leaves no active connection', async () => {
  const { link, status, reaches } = await aPendingFeedLink()
  await ledgerSays(LinkDeletedSchema, link)
  await reaches('deactivated')
  const next = await aPendingFeedLink()
  await ledgerSays(LinkCreatedSchema, link)
  await ledgerSays(LinkCreatedSchema, next.link)
  await next.reaches('active')
  expect(await status()).toBe('deactivated')
})

test('links of other kinds concern nobody here', async () => {
  const { link, status } = await aPendingFeedLink()
  const { feedLinkId: _, ...manual } = { ...link, linkType: 'manual' }
  await ledgerSays(LinkCreatedSchema, manual)
  await ledgerSays(LinkDeletedSchema, manual)
  const next = await aPendingFeedLink()
  await ledgerSays(LinkCreatedSchema, next.link)
  await next.reaches('active')
  expect(await status()).toBe('pending')
})
