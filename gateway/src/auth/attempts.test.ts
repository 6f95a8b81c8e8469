import { expect, test } from '@jest/globals'
import { networkOf } from './attempts.ts'

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['2001:0db8:1:2::9', '2001:db8:1:2::'],
  ['2001:db8::1', '2001:db8:0:0::'],
  ['fe80::1%eth0', 'fe80:0:0:0::'],
  ['::1', '0:0:0:0::'],
  ['not an address', 'not an address'],
])('%s belongs to the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
