import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { settings } from '@coffer/gateway/config'
import { startGateway } from '@coffer/gateway/main'
import { createLog } from '@coffer/host/logger'
import { createMesh } from '@coffer/host/rpc/mesh'
import { loadSigner } from '@coffer/host/rpc/signing-key'
import { serve } from '@coffer/host/serve'
import { readSettings } from '@coffer/host/settings'
import { eventually } from '@coffer/host/testing/boot'
import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import { newPerson, type Person } from '../harness/person.ts'
import { storedBytes } from '../harness/stored-bytes.ts'

const log = createLog({ level: 'silent', name: 'test' })
const stack = new AsyncDisposableStack()
let coffer: Coffer
let overNetwork: string

// All services and a gateway run in this process. A second gateway calls them over HTTP/1.1.
beforeAll(async () => {
  coffer = stack.use(await startCoffer())
  const { host, keysFolder, broker } = coffer.booted
  const clock = () => new Date()
  const { rpcPort } = stack.use(
    await serve({
      host: '127.0.0.1',
      rpcPort: 0,
      grpcPort: 0,
      blockers: async () => [],
      routes: host.routes,
    }),
  )
  const url = `http://127.0.0.1:${rpcPort}`
  const names = ['identity', 'ledger', 'budgeting', 'aggregator-sync', 'feed-sync', 'notices']
  const urls = Object.fromEntries(names.map((name) => [name, url]))
  const mesh = stack.use(createMesh({ hosted: {}, urls }))
  const { port } = stack.use(
    await startGateway({
      mesh,
      broker,
      clock,
      log,
      host: '127.0.0.1',
      port: 0,
      isHealthy: async () => true,
      config: readSettings(settings, { COFFER_UPLOADS_ENABLED: 'true' }),
      signer: loadSigner(keysFolder, 'gateway'),
    }),
  )
  overNetwork = `http://127.0.0.1:${port}`
})

afterAll(async () => {
  await stack.disposeAsync()
})

const boundary = 'xxxx'
const head = (name = 'a.ofx') =>
  `--${boundary}\r\ncontent-disposition: form-data; name="data"; filename="${name}"\r\n` +
  'content-type: application/octet-stream\r\n\r\n'
const tail = `\r\n--${boundary}--\r\n`

/** Starts a request with a chunked body, that is without Content-Length. */
function begin(baseUrl: string, { authorization }: Person, path: string): ClientRequest {
  const type = `multipart/form-data; boundary=${boundary}`
  const headers = { authorization, 'content-type': type }
  const sending = request(`${baseUrl}/api${path}`, { method: 'POST', headers })
  sending.on('error', () => undefined)
  return sending
}

async function answerTo(sending: ClientRequest) {
  const [answer] = (await once(sending, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, body: JSON.parse(await text(answer)) }
}

const kept = ({ accountId }: Person) => storedBytes(coffer.dataDir, accountId)

/**
 * Waits until no bytes of the person's files are stored, and no file is listed. Over the network,
 * the ledger deletes bytes after the gateway has answered; until this deletion a file is listed.
 */
async function nothingIsKept(person: Person): Promise<void> {
  const isEmpty = ({ length }: { length: number }) => length === 0
  await eventually(() => kept(person), isEmpty)
  await eventually(() => person.get('/files'), isEmpty)
}

describe.each([
  ['in one process', () => coffer.baseUrl],
  ['over the network', () => overNetwork],
])('an upload %s', (_where, at) => {
  const someone = async () => {
    const person = await newPerson(at())
    const { path } = await person.createBankAccount(0)
    return { person, path, upload: `${path}/transactions/upload` }
  }

  test('is imported, and gets the same answer again for its Idempotency-Key', async () => {
    const { person, path, upload } = await someone()
    const form = new FormData()
    const bytes = await readFile(new URL('../data/checking.qfx', import.meta.url))
    form.set('data', new File([new Uint8Array(bytes)], 'checking.qfx'))
    const options = { form, headers: { 'idempotency-key': newId('key') } }
    const first = await person.call('POST', upload, options)
    expect(first.body).toMatchObject({ status: 'pending', file: { size: bytes.length } })
    const again = await person.call('POST', upload, options)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(again.body).toEqual(first.body)
    form.set('data', new File(['<OFX>'], 'checking.qfx'))
    expect((await person.call('POST', upload, options)).status).toBe(422)
    const { transactionUploadId } = first.body
    await eventually(
      () => person.get(`${path}/transactions/upload/${transactionUploadId}`),
      ({ importedCount }) => importedCount === 316,
    )
    await nothingIsKept(person)
  })

  test('that the client aborts leaves nothing', async () => {
    const { person, upload } = await someone()
    const sending = begin(at(), person, upload)
    sending.write(head())
    sending.write(Buffer.alloc(1024 * 1024, '<OFX>'))
    await eventually(
      () => kept(person),
      ({ length }) => length === 1,
    )
    sending.destroy()
    await nothingIsKept(person)
  })

  test('that is too large is 413 before its end', async () => {
    const { person, upload } = await someone()
    const sending = begin(at(), person, upload)
    sending.write(head())
    sending.write(Buffer.alloc(6 * 1024 * 1024 + 1, '<OFX>'))
    const { status, body } = await answerTo(sending)
    expect([status, body]).toEqual([413, { error: 'the body is larger than 6 MiB' }])
    sending.destroy()
    await nothingIsKept(person)
  })

  test('that is not possible is refused before its end', async () => {
    const { person, upload, path } = await someone()
    for (const [to, name, content, expected] of [
      [upload.replace(/bac_\w+/, newId('bac')), 'a.ofx', '<OFX>', 404],
      [upload, 'a.csv', 'a,b\n', 400],
      [`${path}/transactions/import`, 'a.csv', '<OFX>', 400],
    ] as const) {
      const sending = begin(at(), person, to)
      sending.write(head(name))
      sending.write(Buffer.alloc(1024 * 1024, content))
      expect((await answerTo(sending)).status).toBe(expected)
      sending.destroy()
    }
    await nothingIsKept(person)
  })

  test('with an incomplete form is 400 and leaves nothing', async () => {
    const { person, upload, path } = await someone()
    const other = `\r\n${head().replace('"data"', '"other"')}x${tail}`
    for (const [to, end] of [
      [upload, `\r\n--${boundary}`],
      [`${path}/transactions/import`, other],
    ] as const) {
      const sending = begin(at(), person, to)
      sending.write(head('a.ofx'))
      sending.write(Buffer.alloc(1024 * 1024, 'Date,Text,Amount\n'))
      sending.end(end)
      expect((await answerTo(sending)).status).toBe(400)
    }
    await nothingIsKept(person)
  })
})
