import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMesh } from '@coffer/host/rpc/mesh'
import { eventually } from '@coffer/host/testing/boot'
import { notFound, unanswered, unavailable } from '@coffer/kit/rpc/errors'
import type { Mesh } from '@coffer/kit/rpc/mesh'
import { expect, test } from '@jest/globals'
import { startGateway } from '../../src/main.ts'
import { createFileStub, formOf } from '../forms.ts'
import { byKey, createGateway } from '../gateway.ts'
import { accountUrl, upload } from '../samples.ts'

const uploadsOn = { COFFER_UPLOADS_ENABLED: 'true' }
const url = `${accountUrl}/transactions/upload`

test.each([
  ['', 'content-type: application/octet-stream'],
  ['', 'content-type: text/plain'],
  ['', ''],
  ['june.ofx', ''],
  ['june.ofx', 'content-type: application/vnd.intu.QBO'],
  ['june.ofx', 'content-type: nonsense'],
])(
  'the part named data is a file, with the file name %j and the header %j',
  async (name, header) => {
    const { take, taken } = createFileStub(() => ({ upload }))
    await using gateway = await createGateway({ uploads: { createUpload: take } }, uploadsOn)
    const fileName = name && `; filename="${name}"`
    const disposition = `content-disposition: form-data; name="data"${fileName}`
    const head = [disposition, header].filter((line) => line !== '').join('\r\n')
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const body = `--x\r\n${head}\r\n\r\n<OFX>\r\n--x--\r\n`
    const { status } = await gateway.send('POST', url, { body, headers })
    expect([status, taken]).toMatchObject([200, [{ name, text: '<OFX>' }]])
  },
)

const file = new File(['<OFX>'], 'june.ofx')
const missing = 'required key is missing'
const unknown = 'key not expected'

test.each<[[string, string | File][], object]>([
  [[['note', 'x']], { data: missing }],
  [[['file', file]], { file: unknown }],
  [Array(2).fill(['data', file]), { data: 'must be the only file of the form' }],
  [Object.entries({ data: file, other: file }), { other: unknown }],
  [Object.entries({ other: file, data: file }), { other: unknown }],
])('a form is 400 unless its one file is named data: %#', async (parts, problems) => {
  const { take, taken } = createFileStub(() => ({ upload }))
  await using gateway = await createGateway({ uploads: { createUpload: take } }, uploadsOn)
  const { status, body } = await gateway.send('POST', url, await formOf(parts))
  expect([status, body.problems]).toEqual([400, problems])
  expect(taken).toEqual([])
})

test('an account may send ten files at a time', async () => {
  const held = Promise.withResolvers<{ upload: typeof upload }>()
  const createUpload = () => held.promise
  await using gateway = await createGateway({ uploads: { createUpload } }, uploadsOn)
  const form = await formOf({ data: file })
  const send = async () => (await gateway.send('POST', url, form)).status
  const running = Array.from({ length: 10 }, send)
  const arrived = async () => gateway.received.filter(({ rpc }) => rpc === 'CreateUpload').length
  await eventually(arrived, (count) => count === 10)
  expect(await send()).toBe(429)
  held.resolve({ upload })
  expect(await Promise.all(running)).toEqual(running.map(() => 200))
  expect(await send()).toBe(200)
})

async function answerTo(sent: ClientRequest) {
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, body: JSON.parse((await buffer(answer)).toString()) }
}

/** Connects a client by a raw socket, so that it can stop within a form. */
function connectTo({ port }: { port: number }) {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.on('data', (bytes) => {
    received += bytes
  })
  const answers = (count: number) =>
    eventually(
      async () => received.match(/(?<=HTTP\/1.1 )\d+[^{]*/g) ?? [],
      (all) => all.length === count,
    )
  const sendHead = (sent: Record<string, string | number>) => {
    const lines = Object.entries({ ...byKey, host: 'coffer', ...sent }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    socket.write(`POST ${url} HTTP/1.1\r\n${lines.join('')}\r\n`)
  }
  return { socket, answers, sendHead }
}

const getNothing = 'GET /api/nothing HTTP/1.1\r\nhost: coffer\r\n\r\n'

test.each([
  ['the ledger is away', () => unavailable('away'), 503],
  ['the ledger refuses it', () => notFound('bank account'), 404],
])('the connection stays open when %s before the file is read', async (_why, fault, status) => {
  const createUpload = () => {
    throw fault()
  }
  await using gateway = await createGateway({ uploads: { createUpload } }, uploadsOn)
  await using server = await startGateway({ ...gateway.deps, host: '127.0.0.1', port: 0 })
  const { body, headers } = await formOf({ data: new File(['x'.repeat(5_000_000)], 'june.ofx') })
  const { socket, answers, sendHead } = connectTo(server)
  sendHead({ ...headers, 'content-length': body.length })
  socket.write(body)
  expect(await answers(1)).toEqual([expect.stringMatching(`^${status}`)])
  socket.write(getNothing)
  expect((await answers(2)).at(-1)).toMatch(/^404/)
  socket.destroy()
})

const ofForm = { 'content-type': 'multipart/form-data; boundary=x' }
const MiB = 1024 * 1024

test('the connection stays open after a form of 20 MiB, which is read to its end', async () => {
  await using gateway = await createGateway({}, uploadsOn)
  await using server = await startGateway({ ...gateway.deps, host: '127.0.0.1', port: 0 })
  const { socket, answers, sendHead } = connectTo(server)
  sendHead({ ...ofForm, 'content-length': 20 * MiB })
  socket.write(Buffer.alloc(100_000))
  expect(await answers(1)).toEqual([expect.not.stringMatching(/^connection: close/im)])
  socket.write(Buffer.alloc(20 * MiB - 100_000))
  socket.write(getNothing)
  expect((await answers(2)).at(-1)).toMatch(/^404/)
  socket.destroy()
})

test.each([
  ['of 30 MiB', { ...ofForm, 'content-length': 30 * MiB }, '', 413],
  ['of unknown length', { ...ofForm, 'transfer-encoding': 'chunked' }, 'ffffff\r\n', 404],
])('the answer to a form %s has Connection: close', async (_form, head, size, status) => {
  const createUpload = () => {
    throw notFound('bank account')
  }
  await using gateway = await createGateway({ uploads: { createUpload } }, uploadsOn)
  await using server = await startGateway({ ...gateway.deps, host: '127.0.0.1', port: 0 })
  const { socket, answers, sendHead } = connectTo(server)
  const ended = once(socket, 'end')
  sendHead(head)
  socket.write(`${size}--x\r\ncontent-disposition: form-data; name="data"\r\n\r\n`)
  // An immediate close would reset the connection, because these bytes are unread.
  socket.write('x'.repeat(MiB))
  const [answer] = await answers(1)
  expect(answer).toMatch(new RegExp(`^${status}`))
  expect(answer).toMatch(/^connection: close/m)
  await ended
})

const never = new Promise<{ upload: typeof upload }>(() => {})
const lose = (): never => {
  throw unanswered('the connection to a service was lost')
}
const whole = createFileStub(() => undefined)

test.each([
  ['takes nothing of a file', () => never, 503, 'nothing of it is kept'],
  ['is lost before it has a file', () => lose(), 503, 'nothing of it is kept'],
  [
    'takes a file and does not answer',
    (parts: Parameters<typeof whole.take>[0]) => whole.take(parts).then(() => never),
    504,
    'it may have been carried out',
  ],
])('a ledger that %s is given up after the timeout', async (_what, createUpload, status, text) => {
  const more = { ledgerTimeoutMs: 50 }
  await using gateway = await createGateway({ uploads: { createUpload } }, uploadsOn, more)
  const answer = await gateway.send('POST', url, await formOf({ data: file }))
  expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(text)])
})

test.each(['POST', 'GET'])('%s is 503 while identity does not answer', async (method) => {
  await using gateway = await createGateway({ signIn: { verifyApiKey: lose } }, uploadsOn)
  const answer = await gateway.send(method, method === 'POST' ? url : '/api/links')
  expect([answer.status, answer.body]).toEqual([
    503,
    { error: 'a service is not available: repeat the request later' },
  ])
})

test('a ledger that accepts connections but never answers is given up', async () => {
  const silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  using overNetwork = createMesh({ hosted: {}, urls: { ledger: `http://127.0.0.1:${port}` } })
  await using stubbed = await createGateway({}, uploadsOn)
  const mesh: Mesh = {
    client: (name, service) =>
      (name === 'ledger' ? overNetwork : stubbed.deps.mesh).client(name, service),
    [Symbol.dispose]: () => undefined,
  }
  const { signer, clock } = stubbed.deps
  const more = { mesh, signer, clock, ledgerTimeoutMs: 300 }
  await using gateway = await createGateway({}, uploadsOn, more)
  const answer = await gateway.send('POST', url, await formOf({ data: file }))
  expect([answer.status, answer.body.error]).toEqual([504, expect.stringContaining('not answered')])
  silent.close()
})

test('a client may take longer for a file than the timeout of the ledger', async () => {
  const { take, taken } = createFileStub(() => ({ upload }))
  const more = { ledgerTimeoutMs: 500 }
  await using gateway = await createGateway({ uploads: { createUpload: take } }, uploadsOn, more)
  await using server = await startGateway({ ...gateway.deps, host: '127.0.0.1', port: 0 })
  const { body, headers } = await formOf({ data: file })
  const to = { host: '127.0.0.1', port: server.port, path: url, method: 'POST' }
  const sent = request({ ...to, headers: { ...headers, ...byKey } })
  sent.write(body.subarray(0, body.length - 20))
  await sleep(1_000)
  sent.end(body.subarray(body.length - 20))
  expect((await answerTo(sent)).status).toBe(200)
  expect(taken).toMatchObject([{ text: '<OFX>' }])
})
