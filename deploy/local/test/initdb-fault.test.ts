import { expect, test } from '@jest/globals'
import { FatalError } from '../bootstrap/fatal-error.mjs'
import { initdbFault } from '../src/postgres/postgres.ts'

const failed = '"/usr/bin/initdb -D /data/postgres/data.new" failed (exit code 1)'

test.each([
  [
    'a full disk',
    `creating configuration files ... ok
running bootstrap script ... FATAL:  could not write to file "pg_wal/x": No space left on device
child process exited with exit code 1
initdb: removing contents of data directory "/data/postgres/data.new"`,
    'could not write to file "pg_wal/x": No space left on device',
  ],
  [
    'a directory of another user',
    'initdb: error: could not access directory "/data/postgres": Permission denied',
    'could not access directory "/data/postgres": Permission denied',
  ],
])('%s is reported in one line', (_name, output, reason) => {
  const { message } = initdbFault(new FatalError(`${output}\n${failed}`), '/data/postgres')
  expect(message).toBe(`The database could not be created in /data/postgres: ${reason}`)
})

test('output without a reason keeps its error', () => {
  const error = new FatalError(`Killed\n${failed}`)
  expect(initdbFault(error, '/data/postgres')).toBe(error)
})
