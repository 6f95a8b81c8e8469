import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from '@jest/globals'
import { createProgress } from '../bootstrap/progress.mjs'
import { withTestServers } from '../src/test-servers.ts'

test('a second run in a checkout is refused, and the first keeps its Postgres', async () => {
  // These tests are the first run: its Postgres is the host of this URL, if it has a socket.
  const { hostname } = new URL(process.env.COFFER_TEST_DATABASE_URL ?? '')
  const socket = decodeURIComponent(hostname)
  const options = { log: createProgress(), stop: new AbortController().signal }
  const second = withTestServers(options, async () => 'started')
  await expect(second).rejects.toThrow('Coffer is already running on')
  if (socket.startsWith('/')) expect(existsSync(dirname(socket))).toBe(true)
})
