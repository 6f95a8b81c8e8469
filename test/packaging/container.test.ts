import { overSocket } from '@coffer/local/postgres/postgres'
import { expect, test } from '@jest/globals'
import { settingsInside } from './container.ts'

const tcp = 'postgres://coffer:a%40b@127.0.0.1:4032/coffer'

test.each([
  ['COFFER_DATABASE_URL', overSocket(tcp, '/dev/shm/a b')],
  ['COFFER_LEDGER_DATABASE_URL', overSocket(tcp, '/srv/x')],
  ['COFFER_DATABASE_URL', tcp],
])('a container reaches the database of %s=%s over TCP', (name, url) => {
  expect(settingsInside({ [name]: url })).toEqual({ [name]: tcp })
})

test('other settings of a container stay', () => {
  const settings = { COFFER_NATS_URL: 'nats://127.0.0.1:4', COFFER_DATA_DIR: '/data' }
  expect(settingsInside(settings)).toEqual(settings)
})
