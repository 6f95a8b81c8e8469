import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from '@jest/globals'
import { startGateway } from '../../src/main.ts'
import { byKey, createGateway } from '../gateway.ts'

/** Sends a GET; returns the answer, its body, and the client's port to tell connections apart. */
async function get(port: number, agent: Agent) {
  const call = request({ port, agent, path: '/api/links', headers: byKey }).end()
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  const localPort = call.socket?.localPort
  const { statusCode, headers } = response
  return { statusCode, headers, localPort, body: await text(response) }
}

test('a stopping gateway still answers, with Connection: close, then ends', async () => {
  await using gateway = await createGateway({ links: { listLinks: () => ({ links: [] }) } })
  const draining = new AbortController()
  const address = { host: '127.0.0.1', port: 0, draining: draining.signal }
  const server = await startGateway({ ...gateway.deps, ...address })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { headers: kept, localPort } = await get(server.port, agent)
  expect(kept.connection).toBe('keep-alive')
  draining.abort()
  const reused = await get(server.port, agent)
  expect(reused).toMatchObject({ statusCode: 200, headers: { connection: 'close' }, localPort })
  const fresh = await get(server.port, agent)
  expect(fresh).toMatchObject({ statusCode: 200, headers: { connection: 'close' }, body: '[]' })
  expect(fresh.localPort).not.toBe(localPort)
  await server[Symbol.asyncDispose]()
  await expect(get(server.port, agent)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('a running request gets its answer, and an unused connection closes', async () => {
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const listLinks = async () => {
    arrived.resolve()
    await released.promise
    return { links: [] }
  }
  await using gateway = await createGateway({ links: { listLinks } })
  const server = await startGateway({ ...gateway.deps, host: '127.0.0.1', port: 0 })
  const agent = new Agent({ keepAlive: true })
  const unused = connect(server.port, '127.0.0.1').on('error', () => undefined)
  await once(unused, 'connect')
  const running = get(server.port, agent)
  await arrived.promise
  const ended = server[Symbol.asyncDispose]()
  await once(unused, 'close')
  released.resolve()
  expect(await running).toMatchObject({
    statusCode: 200,
    headers: { connection: 'close', 'x-request-id': expect.any(String) },
    body: '[]',
  })
  await ended
})
