import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { unreadMs } from '../src/serve.ts'
import { createCalls } from '../testing/fixture/calls.ts'
import { serveCalls } from '../testing/fixture/mesh.ts'
import { post, postShort } from '../testing/fixture/post.ts'
import { scratchFolder } from '../testing/fixture/scratch.ts'

test('a stream answered before its end keeps the connection usable for the next call', async () => {
  await using folder = await scratchFolder()
  const calls = createCalls()
  await using servers = await serveCalls(calls, folder.path)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  using _closed = { [Symbol.dispose]: () => agent.destroy() }
  const place = { port: servers.rpcPort, agent, keys: folder.path }
  const { statusCode, localPort } = await postShort(place)
  expect([statusCode, localPort]).toEqual([200, expect.any(Number)])
  const answer = post(place, 'held').catch((error: Error) => error.message)
  await calls.arrived
  await sleep(2 * unreadMs)
  calls.release()
  expect(await answer).toMatchObject({ statusCode: 200, localPort })
})
