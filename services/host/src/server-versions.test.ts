import { expect, test } from '@jest/globals'
import { natsVersionFault, postgresVersionFault } from './server-versions.ts'

test.each([
  ['160000', null],
  ['180004', null],
  ['150018', 'it is version 15, and Coffer needs 16 or newer'],
  ['90624', 'it is version 9, and Coffer needs 16 or newer'],
])('Postgres %s', (version, fault) => {
  expect(postgresVersionFault(version)).toBe(fault)
})

test.each([
  ['2.10.0', null],
  ['2.15.2-beta.1', null],
  ['3.0.0', null],
  ['2.9.25', 'it is version 2.9.25, and Coffer needs 2.10 or newer'],
  ['1.4.1', 'it is version 1.4.1, and Coffer needs 2.10 or newer'],
])('NATS %s', (version, fault) => {
  expect(natsVersionFault(version)).toBe(fault)
})
