import { expect, test } from '@jest/globals'
import { overSocket, socketDirectory } from '../src/postgres/postgres.ts'

test.each([
  ['/srv/coffer/postgres', '/srv/coffer/postgres'],
  [`/${'long/'.repeat(20)}postgres`, null],
  ['/srv/my coffer/postgres', null],
  ['/srv/a,b/postgres', null],
])('the socket of %s is in %s', (home, directory) => {
  expect(socketDirectory(home, 4032)).toBe(directory)
})

test('a URL over the socket has its directory as host, and keeps the port', () => {
  expect(overSocket('postgres://coffer:a%40b@127.0.0.1:4032/coffer', '/srv/x')).toBe(
    'postgres://coffer:a%40b@%2Fsrv%2Fx:4032/coffer',
  )
})
