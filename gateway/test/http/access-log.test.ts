import { request } from 'node:http'
import { eventually } from '@coffer/host/testing/boot'
import { keepLogLines } from '@coffer/host/testing/log-lines'
import { metricValue } from '@coffer/host/testing/metrics'
import { unavailable } from '@coffer/kit/rpc/errors'
import { expect, test } from '@jest/globals'
import { startGateway } from '../../src/main.ts'
import { byKey, createGateway } from '../gateway.ts'
import { alice, apiKey, type Stubs } from '../stub-mesh.ts'

/** Starts a gateway on a port and collects the lines of its log. */
async function startLogged(links: NonNullable<Stubs['links']>) {
  const { log, lines, text } = keepLogLines('info')
  const stack = new AsyncDisposableStack()
  const gateway = stack.use(await createGateway({ links }, {}, { log }))
  const address = { host: '127.0.0.1', port: 0 }
  const { port } = stack.use(await startGateway({ ...gateway.deps, ...address }))
  const logged = (count: number) =>
    eventually(
      async () => lines().filter(({ msg }) => msg === 'request'),
      ({ length }) => length >= count,
    )
  const baseUrl = `http://127.0.0.1:${port}`
  return { port, baseUrl, logged, text, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

const linkId = 'link_01hzzzzzzzzzzzzzzzzzzzzzzz'

test('each request is one line with route and account, without parameter values', async () => {
  await using gateway = await startLogged({
    getLink: () => ({ link: { linkId } }),
    listLinks: () => {
      throw unavailable('the ledger is away')
    },
  })
  const { baseUrl, logged, text } = gateway
  const before = await countOfGets()
  const found = await fetch(`${baseUrl}/api/links/${linkId}?token=quiet`, { headers: byKey })
  await fetch(`${baseUrl}/api/links`, { headers: byKey })
  await fetch(`${baseUrl}/api/links`)
  await fetch(`${baseUrl}/api/nothing/quiet`)
  const lines = await logged(4)
  const line = (status: number, route: string) => ({ method: 'GET', route, status })
  expect(lines).toMatchObject([
    { level: 30, ...line(200, '/api/links/:linkId'), accountId: alice.accountId },
    { ...line(503, '/api/links'), accountId: alice.accountId },
    line(401, '/api/links'),
    line(404, 'none'),
  ])
  expect(lines[0].requestId).toBe(found.headers.get('x-request-id'))
  expect(lines[0].ms).toEqual(expect.any(Number))
  expect(lines[2]).not.toHaveProperty('accountId')
  expect(text()).not.toMatch(new RegExp(`quiet|${apiKey.secret}|${linkId}`))
  expect(await countOfGets()).toBe(before + 1)
})

async function countOfGets(): Promise<number> {
  const labels = { method: 'GET', route: '/api/links/:linkId', status: '200' }
  return (await metricValue('coffer_http_request_seconds_count', labels)) ?? 0
}

test('a request is logged as 499 when its client closes the connection', async () => {
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await using gateway = await startLogged({
    listLinks: async () => {
      arrived.resolve()
      await released.promise
      return { links: [] }
    },
  })
  const { port, logged } = gateway
  const call = request({ port, path: '/api/links', headers: byKey }).end()
  call.on('error', () => undefined)
  await arrived.promise
  call.destroy()
  expect(await logged(1)).toMatchObject([{ status: 499, route: '/api/links' }])
  released.resolve()
})
