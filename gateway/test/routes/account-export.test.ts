import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { eventually } from '@coffer/host/testing/boot'
import { expect, test } from '@jest/globals'
import { startGateway } from '../../src/main.ts'
import { bySession, createGateway } from '../gateway.ts'

const page = { table: 'rows', rows: [JSON.stringify('x'.repeat(1_000_000))] }
const stubs = {
  users: { getMe: () => ({}) },
  // The export never ends: each page has a next one.
  accountData: { readAccountData: () => ({ ...page, next: { table: 'rows', key: ['1'] } }) },
}

test('HEAD of an export reads no data', async () => {
  await using gateway = await createGateway(stubs)
  await using server = await startGateway({ ...gateway.deps, host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${server.port}/api/users/me/export`
  // One more than the limit of concurrent exports.
  for (let times = 0; times < 5; times++) {
    expect((await fetch(url, { method: 'HEAD', headers: bySession })).status).toBe(200)
  }
  expect(gateway.received.map(({ rpc }) => rpc)).not.toContain('ReadAccountData')
})

test('exports of idle readers end, so that others can start', async () => {
  await using gateway = await createGateway(stubs, {}, { exportIdleTimeoutMs: 500 })
  await using server = await startGateway({ ...gateway.deps, host: '127.0.0.1', port: 0 })
  const asked: ClientRequest[] = []
  const ask = async (): Promise<number> => {
    const { port } = server
    const sent = request({ port, path: '/api/users/me/export', headers: bySession }).end()
    asked.push(sent.on('error', () => {}))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.on('error', () => {})
    return response.statusCode ?? 0
  }
  // The six clients read only the head of their answers.
  const statuses = await Promise.all(Array.from({ length: 6 }, ask))
  expect(statuses.sort()).toEqual([200, 200, 200, 200, 429, 429])
  expect(await eventually(ask, (status) => status === 200)).toBe(200)
  for (const sent of asked) sent.destroy()
})
