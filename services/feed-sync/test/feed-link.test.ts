import { timestampDate } from '@bufbuild/protobuf/wkt'
import { createSecrets } from '@coffer/host/secrets/envelope-encryption'
import { localKeyEncryption } from '@coffer/host/secrets/local-keys'
import { boot } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { headers } from '@coffer/kit/rpc/rpc'
import { newId } from '@coffer/kit/values/id'
import { FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import { type CallOptions, type Client, Code } from '@connectrpc/connect'
import { beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { releaseConnection } from '../src/links/feed-link.activities.ts'
import { feedSync } from '../src/service.ts'

const feedUrl = 'https://feed.example/v1'
const apiKey = 'secretKey123'

let feedLinks: Client<typeof FeedLinkService>

const booted = started(() =>
  boot([feedSync], {
    COFFER_FEED_ALLOWED_URLS: feedUrl,
    COFFER_LINKS_MAX: '3',
  }),
)

beforeAll(async () => {
  feedLinks = booted.client('feed-sync', FeedLinkService)
})

async function createFeedLink(caller: CallOptions, name = 'Home') {
  const { feedLink } = await feedLinks.createFeedLink({ name, feedUrl, apiKey }, caller)
  if (!feedLink) throw new Error('no feed link')
  return feedLink
}

const SealedRow = z.object({
  keyId: z.string(),
  dataKey: z.instanceof(Buffer),
  ciphertext: z.instanceof(Buffer),
})

function storedKey(accountId: string) {
  return booted.database('feed-sync').pool.any(sql.type(SealedRow)`
    SELECT key_id AS "keyId", data_key AS "dataKey", ciphertext FROM feed_keys
    WHERE account_id = ${accountId}`)
}

function release(accountId: string, linkId: string): Promise<void> {
  const deps = { database: booted.database('feed-sync'), clock: () => new Date() }
  return releaseConnection(deps, { accountId, linkId })
}

test('a connection is stored as pending and can be read', async () => {
  const caller = booted.as(newId('acct'), { userId: 'user_me' })
  booted.clock.now = new Date('2026-05-01T08:00:00Z')
  const created = await createFeedLink(caller)
  booted.clock.now = null
  expect(created).toMatchObject({ name: 'Home', apiUrl: feedUrl, status: 'pending' })
  expect(created.createdBy).toBe('user_me')
  expect(created.createdAt && timestampDate(created.createdAt)).toEqual(
    new Date('2026-05-01T08:00:00Z'),
  )
  const { feedLinkId } = created
  expect((await feedLinks.getFeedLink({ feedLinkId }, caller)).feedLink).toEqual(created)
  expect((await feedLinks.listFeedLinks({}, caller)).feedLinks).toEqual([created])
})

test('the key is encrypted in the database', async () => {
  const accountId = newId('acct')
  const { feedLinkId } = await createFeedLink(booted.as(accountId))
  const [row] = await storedKey(accountId)
  if (!row) throw new Error('no key')
  expect(row.ciphertext.includes(apiKey)).toBe(false)
  const secrets = createSecrets(localKeyEncryption(booted.keysFolder))
  expect(await secrets.open(row, `${accountId}/${feedLinkId}`)).toBe(apiKey)
})

test.each([
  [{ name: 'Home', feedUrl: 'nowhere', apiKey }, Code.InvalidArgument],
  [{ name: 'Home', feedUrl: 'https://other.example', apiKey }, Code.FailedPrecondition],
])('%p is refused and stores nothing', async (request, code) => {
  const accountId = newId('acct')
  const caller = booted.as(accountId)
  await expect(feedLinks.createFeedLink(request, caller)).rejects.toMatchObject({ code })
  expect((await feedLinks.listFeedLinks({}, caller)).feedLinks).toEqual([])
  expect(await storedKey(accountId)).toEqual([])
})

test('a retried creation creates one connection', async () => {
  const accountId = newId('acct')
  const keyed = {
    ...booted.as(accountId),
    headers: { [headers.idempotencyKey]: 'once', [headers.bodyHash]: 'ab' },
  }
  const replies = await Promise.all(Array.from({ length: 10 }, () => createFeedLink(keyed)))
  expect(new Set(replies.map(({ feedLinkId }) => feedLinkId)).size).toBe(1)
  expect(await storedKey(accountId)).toHaveLength(1)
})

test('lists are newest first; without IDs only live ones', async () => {
  const accountId = newId('acct')
  const caller = booted.as(accountId)
  const [one, two, three] = [
    await createFeedLink(caller, 'One'),
    await createFeedLink(caller, 'Two'),
    await createFeedLink(caller, 'Three'),
  ]
  await feedLinks.activateFeedLink({ feedLinkId: two.feedLinkId, linkId: 'link_2' }, caller)
  await release(accountId, 'link_2')
  const named = async (feedLinkIds: string[]) =>
    (await feedLinks.listFeedLinks({ feedLinkIds }, caller)).feedLinks.map(({ name }) => name)
  expect(await named([])).toEqual(['Three', 'One'])
  expect(await named([one.feedLinkId, two.feedLinkId])).toEqual(['Two', 'One'])
  expect(await named([newId('lfx')])).toEqual([])
  expect(await named([three.feedLinkId])).toEqual(['Three'])
})

test('another account can neither read nor use a connection', async () => {
  const { feedLinkId } = await createFeedLink(booted.as(newId('acct')))
  const stranger = booted.as(newId('acct'))
  expect((await feedLinks.listFeedLinks({}, stranger)).feedLinks).toEqual([])
  expect(
    (await feedLinks.listFeedLinks({ feedLinkIds: [feedLinkId] }, stranger)).feedLinks,
  ).toEqual([])
  const missing = { code: Code.NotFound }
  await expect(feedLinks.getFeedLink({ feedLinkId }, stranger)).rejects.toMatchObject(missing)
  const activation = feedLinks.activateFeedLink({ feedLinkId, linkId: 'link_1' }, stranger)
  await expect(activation).rejects.toMatchObject(missing)
})

test('of ten concurrent links one gets the connection; a repeat changes nothing', async () => {
  const caller = booted.as(newId('acct'))
  const { feedLinkId } = await createFeedLink(caller)
  const linkIds = Array.from({ length: 10 }, () => newId('link'))
  const outcomes = await Promise.allSettled(
    linkIds.map((linkId) => feedLinks.activateFeedLink({ feedLinkId, linkId }, caller)),
  )
  const [winner, ...rest] = linkIds.filter((_, index) => outcomes[index]?.status === 'fulfilled')
  expect(rest).toEqual([])
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason.code).toBe(Code.FailedPrecondition)
  }
  const before = (await feedLinks.getFeedLink({ feedLinkId }, caller)).feedLink
  expect(before?.status).toBe('active')
  const again = await feedLinks.activateFeedLink({ feedLinkId, linkId: winner ?? '' }, caller)
  expect(again.feedLink).toEqual(before)
})

test('a link cannot have two connections', async () => {
  const caller = booted.as(newId('acct'))
  const [one, two] = [await createFeedLink(caller), await createFeedLink(caller)]
  await feedLinks.activateFeedLink({ feedLinkId: one.feedLinkId, linkId: 'link_1' }, caller)
  await expect(
    feedLinks.activateFeedLink({ feedLinkId: two.feedLinkId, linkId: 'link_1' }, caller),
  ).rejects.toMatchObject({ code: Code.AlreadyExists })
})

test('the deletion of its link deactivates the connection and deletes its key, once', async () => {
  const accountId = newId('acct')
  const caller = booted.as(accountId)
  const { feedLinkId } = await createFeedLink(caller)
  await feedLinks.activateFeedLink({ feedLinkId, linkId: 'link_1' }, caller)
  await release(accountId, 'link_unknown')
  await release(newId('acct'), 'link_1')
  expect(await storedKey(accountId)).toHaveLength(1)
  await release(accountId, 'link_1')
  const ended = (await feedLinks.getFeedLink({ feedLinkId }, caller)).feedLink
  expect(ended?.status).toBe('deactivated')
  expect(ended?.deletedAt).toBeDefined()
  expect(await storedKey(accountId)).toEqual([])
  await release(accountId, 'link_1')
  expect((await feedLinks.getFeedLink({ feedLinkId }, caller)).feedLink).toEqual(ended)
})

test('concurrent creations stop at the bound of links', async () => {
  const caller = booted.as(newId('acct'))
  const calls = Array.from({ length: 5 }, (_, n) => createFeedLink(caller, `Home ${n}`))
  const outcomes = await Promise.allSettled(calls)
  const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  expect(refused).toMatchObject([1, 2].map(() => ({ code: Code.FailedPrecondition })))
  expect(refused[0].rawMessage).toContain('at most 3 feed links')
})
