import { expect, test } from '@jest/globals'
import { deviceNameOf } from './device-name.ts'

const webkit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'
const mobile = 'Version/18.5 Mobile/15E148 Safari/604.1'
const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0'

test.each([
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Firefox/140.0', 'Firefox on Windows'],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${chrome} Safari/537.36`, 'Chrome on macOS'],
  [`Mozilla/5.0 (Windows NT 10.0) ${chrome} Safari/537.36 Edg/149.0`, 'Microsoft Edge on Windows'],
  [`Mozilla/5.0 (Linux; Android 10; K) ${chrome} Mobile Safari/537.36`, 'Chrome on Android'],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) ${webkit} ${mobile}`,
    'Safari on iPhone',
  ],
  ['curl/8.5.0', ''],
  ['<b>Bank</b>/1.0 of your trust', ''],
  ['Mozilla/5.0 (X11; Linux x86_64)', 'Linux'],
  [`Mozilla/5.0 (Windows NT 10.0) Firefox/140.0 ${'x'.repeat(512)}`, ''],
  ['', ''],
  [undefined, ''],
])('the device of %j is %j', (userAgent, name) => {
  expect(deviceNameOf(userAgent)).toBe(name)
})
