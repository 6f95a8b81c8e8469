import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { serve } from '../src/serve.ts'
import { createVitals, watchPool } from '../src/vitals.ts'
import { requiredVariable } from '../testing/database.ts'

test('a loop without a beat for over a minute is dead, until it goes on', () => {
  let now = 0
  const vitals = createVitals(() => now)
  const beat = vitals.watch('the relay')
  vitals.watch('the consumer')
  now = 60_000
  expect(vitals.faults()).toEqual([])
  beat()
  now = 60_001
  expect(vitals.faults()).toEqual(['the consumer has stopped and does not resume'])
  now = 120_001
  expect(vitals.faults()).toHaveLength(2)
  beat()
  expect(vitals.faults()).toHaveLength(1)
})

test('a process with a dead loop is not alive', async () => {
  let dead: string[] = []
  await using servers = await serve({
    host: '127.0.0.1',
    rpcPort: 0,
    grpcPort: 0,
    routes: () => {},
    blockers: async () => [],
    faults: () => dead,
  })
  const ask = async () => {
    const answer = await fetch(`http://127.0.0.1:${servers.rpcPort}/healthz`)
    return [answer.status, await answer.text()]
  }
  expect(await ask()).toEqual([200, 'alive\n'])
  dead = ['the relay has stopped']
  expect(await ask()).toEqual([503, 'dead\nthe relay has stopped\n'])
})

/** Returns whether a pool in this state counts as alive. */
async function isAlive(state: { isHealthy: boolean; silentMs: number; url?: string }) {
  const { isHealthy, silentMs, url = requiredVariable('COFFER_TEST_DATABASE_URL') } = state
  const database = {
    isHealthy: async () => isHealthy,
    answeredAt: () => performance.now() - silentMs,
  }
  let beats = 0
  const beat = () => {
    beats += 1
  }
  await watchPool({ database, url }, beat)[Symbol.asyncDispose]()
  return beats > 0
}

test('a pool is dead only if it gets no answer although a new connection does', async () => {
  expect(await isAlive({ isHealthy: true, silentMs: 60_000 })).toBe(true)
  expect(await isAlive({ isHealthy: false, silentMs: 60_000 })).toBe(false)
  // Busy: it answers requests, but none of the checks in time.
  expect(await isAlive({ isHealthy: false, silentMs: 0 })).toBe(true)
  const away = createServer().listen(0, '127.0.0.1')
  await once(away, 'listening')
  const { port } = away.address() as AddressInfo
  await once(away.close(), 'close')
  const url = `postgres://127.0.0.1:${port}/coffer`
  expect(await isAlive({ isHealthy: false, silentMs: 60_000, url })).toBe(true)
})
