import { expect, test } from '@jest/globals'
import { isPublicAddress } from './public-address.ts'

test.each([
  ['an IPv4 address', '93.184.215.14', true],
  ['an IPv6 address', '2606:2800:21f:cb07:6820:80da:af6b:8b2c', true],
  ['a mapped public address', '::ffff:93.184.215.14', true],
  ['the address of this network', '0.0.0.0', false],
  ['loopback', '127.0.0.1', false],
  ['another loopback', '127.8.9.1', false],
  ['a private network', '10.1.2.3', false],
  ['a private network of 172.16/12', '172.31.255.255', false],
  ['the first address after 172.16/12', '172.32.0.0', true],
  ['a private network of 192.168/16', '192.168.1.1', false],
  ["a carrier's network", '100.64.0.1', false],
  ['the metadata service of a cloud', '169.254.169.254', false],
  ['a protocol assignment', '192.0.0.8', false],
  ['documentation', '203.0.113.7', false],
  ['a benchmark network', '198.18.0.1', false],
  ['multicast', '224.0.0.1', false],
  ['a reserved address', '240.0.0.1', false],
  ['broadcast', '255.255.255.255', false],
  ['IPv6 loopback', '::1', false],
  ['the unspecified IPv6 address', '::', false],
  ['a mapped loopback', '::ffff:127.0.0.1', false],
  ['a mapped private address in hexadecimal', '::ffff:c0a8:101', false],
  ['a compatible loopback (RFC 4291 2.5.5.1)', '::127.0.0.1', false],
  ['unique local IPv6', 'fd12:3456::1', false],
  ['link-local IPv6', 'fe80::1', false],
  ['link-local IPv6 with a zone', 'fe80::1%eth0', false],
  ['IPv6 multicast', 'ff02::1', false],
  ['NAT64 of a private address', '64:ff9b::10.0.0.1', false],
  ['6to4 of a private address', '2002:a00:1::', false],
  ['a host name', 'localhost', false],
  ['an empty text', '', false],
])('%s: %s is public: %s', (_kind, address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic)
})
