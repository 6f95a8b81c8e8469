import { afterEach, expect, test } from '@jest/globals'
import { bySession, createGateway, type Gateway } from '../gateway.ts'
import { alice } from '../stub-mesh.ts'

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

test.each(['GET', 'POST'])('a %s of a page for another user is refused', async (method) => {
  gateway = await createGateway({ links: { listLinks: () => ({ links: [] }) } })
  const send = (userId: string) =>
    gateway.send(method, '/api/links', { as: { ...bySession, 'coffer-user': userId } })
  expect((await send('user_01hzzzzzzzzzzzzzzzzzzzzzzb')).status).toBe(409)
  expect(gateway.received.map(({ rpc }) => rpc)).toEqual(['VerifySession'])
  expect((await send(alice.userId)).status).toBe(method === 'GET' ? 200 : 400)
})
