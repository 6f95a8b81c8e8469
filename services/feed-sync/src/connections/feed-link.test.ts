import { problemsOf } from '@coffer/kit/rpc/errors'
import { ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { activateFeedLink, createFeedLink, type FeedLink, releaseFeedLink } from './feed-link.ts'

const created = new Date('2026-03-01T10:00:00Z')
const later = new Date('2026-03-02T10:00:00Z')
const body = {
  feedLinkId: 'lfx_1',
  name: 'Home',
  feedUrl: 'https://FEED.example/v1/',
  apiKey: 'abc123',
}
const by = {
  accountId: 'acct_1',
  createdBy: 'user_1',
  allowedUrls: ['https://feed.example/v1'],
  now: created,
}
const pending = createFeedLink(body, by)
const active = activateFeedLink(pending, 'link_1', later)
const failing: FeedLink = { ...active, status: 'error' }

function problemsIn(change: Partial<typeof body>) {
  try {
    createFeedLink({ ...body, ...change }, by)
  } catch (error) {
    return problemsOf(ConnectError.from(error))
  }
  return null
}

test('a new connection is pending, at the canonical URL', () => {
  expect(pending).toMatchObject({ status: 'pending', apiUrl: 'https://feed.example/v1' })
  expect(pending).toMatchObject({ linkId: null, createdAt: created, deletedAt: null })
})

test.each([
  ['a', null],
  ['Z9'.repeat(50), null],
  ['', ['apiKey']],
  ['a'.repeat(101), ['apiKey']],
  ['a-b', ['apiKey']],
  ['a b', ['apiKey']],
  ['ключ', ['apiKey']],
])('API key %p has problems %p', (apiKey, fields) => {
  const problems = problemsIn({ apiKey })
  expect(problems && Object.keys(problems)).toEqual(fields)
})

test.each([
  ['', ['name']],
  ['😀'.repeat(300), null],
  ['a'.repeat(301), ['name']],
])('a name is 1 to 300 characters', (name, fields) => {
  const problems = problemsIn({ name })
  expect(problems && Object.keys(problems)).toEqual(fields)
})

test('every field with a problem is named at once', () => {
  const problems = problemsIn({ name: '', apiKey: '', feedUrl: 'nowhere' })
  expect(Object.keys(problems ?? {}).sort()).toEqual(['apiKey', 'feedURL', 'name'])
})

test('a URL that is not on the list is refused without problems', () => {
  const elsewhere = () => createFeedLink({ ...body, feedUrl: 'https://feed.example/v2' }, by)
  expect(elsewhere).toThrow('not one of the provider URLs')
  expect(problemsIn({ feedUrl: 'https://feed.example/v2' })).toBeNull()
})

test('a pending connection becomes active for its link, once', () => {
  expect(active).toEqual({ ...pending, linkId: 'link_1', status: 'active', updatedAt: later })
  for (const own of [active, failing, releaseFeedLink(active, 'link_1', later)]) {
    expect(activateFeedLink(own, 'link_1', new Date())).toBe(own)
  }
})

test.each<[string, FeedLink]>([
  ['active', active],
  ['error', failing],
  ['deactivated', releaseFeedLink(active, 'link_1', later)],
])('a connection that is %s cannot be assigned to another link', (_status, feedLink) => {
  expect(() => activateFeedLink(feedLink, 'link_2', later)).toThrow('must be pending')
})

test.each<[string, FeedLink]>([
  ['pending', pending],
  ['active', active],
  ['error', failing],
])('a connection that is %s ends with its link', (_status, feedLink) => {
  const end = { linkId: 'link_1', status: 'deactivated', updatedAt: later, deletedAt: later }
  expect(releaseFeedLink(feedLink, 'link_1', later)).toEqual({ ...feedLink, ...end })
})

test('the end of another link, or a second end, changes nothing', () => {
  expect(releaseFeedLink(active, 'link_2', later)).toBe(active)
  const ended = releaseFeedLink(active, 'link_1', created)
  expect(releaseFeedLink(ended, 'link_1', later)).toBe(ended)
})
