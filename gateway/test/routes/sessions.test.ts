import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { notFound } from '@coffer/kit/rpc/errors'
import { SessionSchema } from '@coffer/proto/identity/v1/session'
import { afterEach, expect, test } from '@jest/globals'
import { createEndingSession } from '../ending-session.ts'
import { byKey, bySession, createGateway, type Gateway } from '../gateway.ts'
import { alice } from '../stub-mesh.ts'

const url = '/api/users/security/sessions'
const { sessionId } = alice
const at = timestampFromDate(new Date('2026-01-02T03:04:05Z'))
const session = { sessionId, isCurrent: true, createdAt: at, lastUsedAt: at, expiresAt: at }

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

test('the sessions of the caller are listed, with the device if it is known', async () => {
  const deviceName = 'Firefox on Windows'
  const known = create(SessionSchema, { ...session, deviceName })
  const listSessions = () => ({ sessions: [create(SessionSchema, session), known] })
  gateway = await createGateway({ sessions: { listSessions } })
  const { status, body } = await gateway.send('GET', url, { as: bySession })
  expect(status).toBe(200)
  const time = '2026-01-02T03:04:05Z'
  const times = { createdAt: time, lastUsedAt: time, expiresAt: time }
  expect(body).toEqual([
    { sessionId, isCurrent: true, ...times, deviceName: null },
    { sessionId, isCurrent: true, ...times, deviceName },
  ])
  expect((await gateway.send('GET', url, { as: byKey })).status).toBe(401)
})

test.each([url, `${url}/${sessionId}`])('DELETE %s ends sessions at once', async (path) => {
  const { end, stubs, statusAt } = createEndingSession()
  gateway = await createGateway({ ...stubs, sessions: { endSession: end, endOtherSessions: end } })
  expect(await statusAt(gateway)).toBe(200)
  const ended = await gateway.send('DELETE', path, { as: bySession })
  expect([ended.status, ended.text]).toEqual([200, ''])
  expect(await statusAt(gateway)).toBe(401)
})

test('a missing session is 404, a malformed ID 400', async () => {
  gateway = await createGateway({
    sessions: {
      endSession: () => {
        throw notFound('session')
      },
    },
  })
  const end = (id: string) => gateway.send('DELETE', `${url}/${id}`, { as: bySession })
  expect((await end(sessionId)).status).toBe(404)
  expect((await end('link_1')).status).toBe(400)
})
