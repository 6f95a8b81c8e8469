import { expect, test } from '@jest/globals'
import { canonicalFeedUrl, findUrlProblem } from './feed-url.ts'

test.each([
  ['', 'must be a URL'],
  ['feed.example', 'must be a URL'],
  ['https://', 'must be a URL'],
  ['https://feed.example/v1?key=1', 'must not have query parameters'],
  ['ftp://feed.example/v1?key=1', 'must not have query parameters'],
  ['https://feed.example/v1#top', 'must not have a fragment'],
  ['ftp://feed.example/v1', 'must be an http or https URL'],
  ['javascript:alert(1)', 'must be an http or https URL'],
  ['https://user@feed.example/v1', 'must not contain credentials'],
  ['https://:secret@feed.example/v1', 'must not contain credentials'],
])('%p %s', (text, problem) => {
  expect(findUrlProblem(text)).toBe(problem)
})

test.each(['http://127.0.0.1:4700/api/v1', 'HTTPS://feed.example', 'https://feed.example/a%20b'])(
  '%s is accepted',
  (text) => {
    expect(findUrlProblem(text)).toBeNull()
  },
)

test.each([
  ['HTTP://feed.example/v1', 'http://feed.example/v1'],
  ['https://FEED.Example/v1', 'https://feed.example/v1'],
  ['https://feed.example:443/v1', 'https://feed.example/v1'],
  ['http://feed.example:80', 'http://feed.example'],
  ['https://feed.example/v1/', 'https://feed.example/v1'],
  ['https://feed.example/', 'https://feed.example'],
  ['https://feed.example/v1/../v2', 'https://feed.example/v2'],
])('%s is %s', (text, canonical) => {
  expect(canonicalFeedUrl(text)).toBe(canonical)
})

test.each([
  ['https://feed.example/v1', 'http://feed.example/v1'],
  ['https://feed.example/v1', 'https://feed.example/V1'],
  ['https://feed.example/v1', 'https://feed.example:8443/v1'],
  ['https://feed.example/v1', 'https://feed.example/v1/../v2'],
  ['https://feed.example/v1', 'https://feed.example.evil.example/v1'],
])('%s and %s stay apart', (one, other) => {
  expect(canonicalFeedUrl(one)).not.toBe(canonicalFeedUrl(other))
})
