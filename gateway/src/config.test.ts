import { expect, test } from '@jest/globals'
import { settings } from './config.ts'

test.each([
  ['', []],
  ['10.0.0.1, 10.0.0.0/8', ['10.0.0.1', '10.0.0.0/8']],
  ['::1,2001:db8::/32', ['::1', '2001:db8::/32']],
  ['10.0.0.0/33', null],
  ['2001:db8::/129', null],
  ['10.0.0.0/8/8', null],
  ['10.1', null],
  ['proxy.example', null],
])('the trusted proxies "%s" are %j', (text, networks) => {
  expect(settings.trustedProxies.schema.safeParse(text).data ?? null).toEqual(networks)
})
