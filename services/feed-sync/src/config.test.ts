import { readSettings } from '@coffer/host/settings'
import { expect, test } from '@jest/globals'
import { settings } from './config.ts'

test.each([
  [undefined, []],
  ['', []],
  ['https://feed.example/v1', ['https://feed.example/v1']],
  [
    ' https://FEED.example/v1/ , http://127.0.0.1:80,',
    ['https://feed.example/v1', 'http://127.0.0.1'],
  ],
])('%p allows %p', (text, allowedUrls) => {
  const { allowedUrls: read } = readSettings(settings, { COFFER_FEED_ALLOWED_URLS: text })
  expect(read).toEqual(allowedUrls)
})

test('an entry that no feed link could have is named', () => {
  const env = { COFFER_FEED_ALLOWED_URLS: 'https://feed.example,ftp://a.example,http://b/?c=d' }
  expect(() => readSettings(settings, env)).toThrow(
    'COFFER_FEED_ALLOWED_URLS: ftp://a.example must be an http or https URL; ' +
      'http://b/?c=d must not have query parameters',
  )
})
