import { connect } from 'node:net'
import { eventually } from '@coffer/host/testing/boot'
import { expect, test } from '@jest/globals'
import { startGateway } from '../../src/main.ts'
import { createGateway } from '../gateway.ts'

const tooLarge = 12 * 1024 * 1024

test('a client that sends too large a body gets 413, and its connection stays open', async () => {
  await using gateway = await createGateway({})
  await using server = await startGateway({ ...gateway.deps, host: '127.0.0.1', port: 0 })
  const socket = connect(server.port, '127.0.0.1').on('error', () => {})
  let received = ''
  socket.on('data', (bytes) => {
    received += bytes
  })
  const answered = (count: number) =>
    eventually(
      async () => received.match(/\{.*\}/g) ?? [],
      (bodies) => bodies.length === count,
    )
  const send = (path: string, header: string) =>
    socket.write(`POST /api/${path} HTTP/1.1\r\nHost: coffer\r\n${header}\r\n\r\n`)
  send('authentication/login', `Content-Type: application/json\r\nContent-Length: ${tooLarge}`)
  expect(await answered(1)).toEqual(['{"error":"the body is larger than 64 KiB"}'])
  socket.write(Buffer.alloc(tooLarge, 'x'))
  send('nothing', 'Content-Length: 0')
  expect((await answered(2)).at(-1)).toBe(
    '{"error":"no such path: GET /api/openapi.json lists all"}',
  )
  socket.destroy()
})
