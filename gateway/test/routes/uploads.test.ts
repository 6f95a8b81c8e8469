import { once } from 'node:events'
import { create } from '@bufbuild/protobuf'
import { eventually } from '@coffer/host/testing/boot'
import { notFound } from '@coffer/kit/rpc/errors'
import { headers as names } from '@coffer/kit/rpc/rpc'
import { newId } from '@coffer/kit/values/id'
import { FileSchema } from '@coffer/proto/ledger/v1/upload'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { connect as connectNats, type NatsConnection } from '@nats-io/transport-node'
import { startGateway } from '../../src/main.ts'
import { createFileStub, formOf } from '../forms.ts'
import { byKey, bySession, createGateway, type Gateway } from '../gateway.ts'
import { accountUrl, balances, envelope, ids, noCounts, spending, upload } from '../samples.ts'
import { openSocket, refusedUpgrade } from '../sockets.ts'
import { alice, type Stubs } from '../stub-mesh.ts'

const url = `${accountUrl}/transactions/upload`
const counts = { importedCount: 0, skippedCount: 0, ...noCounts, skipped: [] }
const uploadsOn = { COFFER_UPLOADS_ENABLED: 'true' }

let gateway: Gateway
afterEach(async () => await gateway?.[Symbol.asyncDispose]())

describe('uploading a file', () => {
  const created = {
    upload: {
      ...upload,
      file: create(FileSchema, { fileId: upload.fileId, name: 'june.qfx', size: 5n }),
    },
  }
  const { take, taken } = createFileStub(() => created)
  const uploads = { createUpload: take }
  const file = new File(['<OFX>'], 'june.qfx', { type: 'application/vnd.intu.QFX' })

  test('hands the bytes to the ledger and answers with the upload and its file', async () => {
    gateway = await createGateway({ uploads }, uploadsOn)
    const sent = await formOf({ note: 'ignored', data: file })
    const answer = await gateway.send('POST', url, sent)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      transactionUploadId: ids.transactionUploadId,
      status: 'pending',
      processedAt: null,
      file: { name: 'june.qfx', size: 5 },
    })
    expect(answer.body).not.toHaveProperty('error')
    expect(taken.at(-1)).toMatchObject({
      bankAccountId: ids.bankAccountId,
      name: 'june.qfx',
      contentType: 'application/vnd.intu.qfx',
      text: '<OFX>',
    })
  })

  test('takes an Idempotency-Key that fits one file only', async () => {
    gateway = await createGateway({ uploads }, uploadsOn)
    const hashes = new Set<string>()
    for (const data of [file, file, new File(['<OFY>'], 'june.qfx', { type: file.type })]) {
      const sent = await formOf({ data })
      const headers = { ...sent.headers, 'idempotency-key': 'june' }
      await gateway.send('POST', url, { ...sent, headers })
      expect(gateway.received.at(-1)?.header.get(names.idempotencyKey)).toBe('june')
      hashes.add(taken.at(-1)?.bodyHash ?? '')
    }
    expect(hashes.size).toBe(2)
  })

  test('is 400 for a form that cannot be read, and 415 for anything but a form', async () => {
    gateway = await createGateway({ uploads }, uploadsOn)
    const before = taken.length
    const cut = await formOf({ data: file })
    cut.body = cut.body.subarray(0, cut.body.length - 20)
    expect((await gateway.send('POST', url, cut)).status).toBe(400)
    expect(taken).toHaveLength(before)
    for (const type of ['application/json', '', 'form', 'multipart/form-data']) {
      const headers = { 'content-type': type }
      const { status, body } = await gateway.send('POST', url, { body: { data: '<OFX>' }, headers })
      expect({ type, status }).toEqual({ type, status: type.startsWith('multi') ? 400 : 415 })
      if (status === 415) expect(body.error).toBe('the content type must be multipart/form-data')
    }
  })

  test('is 413 above 6 MiB', async () => {
    gateway = await createGateway({ uploads }, uploadsOn)
    const data = new File(['x'.repeat(6 * 1024 * 1024)], 'big.ofx')
    expect(await gateway.send('POST', url, await formOf({ data }))).toMatchObject({ status: 413 })
  })

  test('is 404 where uploads are off', async () => {
    gateway = await createGateway({ uploads })
    const { status, body } = await gateway.send('POST', url, await formOf({ data: file }))
    expect([status, body.error]).toEqual([404, expect.stringContaining('not enabled')])
  })
})

test('the status of an upload can be read', async () => {
  gateway = await createGateway({ uploads: { getUpload: () => ({ upload }) } }, uploadsOn)
  expect((await gateway.send('GET', `${url}/${ids.transactionUploadId}`)).body).toEqual({
    transactionUploadId: ids.transactionUploadId,
    bankAccountId: ids.bankAccountId,
    fileId: upload.fileId,
    status: 'pending',
    createdAt: '2026-01-02T03:04:05Z',
    createdBy: alice.userId,
    processedAt: null,
    completedAt: null,
    ...counts,
    statements: [],
    undoneAt: null,
  })
})

test('uploads are listed with their files, and the next page by a Link header', async () => {
  const file = create(FileSchema, { fileId: upload.fileId, name: 'june.qfx' })
  const shown = { ...upload, file, isUndoable: true }
  const listUploads = () => ({ uploads: [shown], hasMore: true })
  gateway = await createGateway({ uploads: { listUploads } }, uploadsOn)
  const { body, headers } = await gateway.send('GET', `${url}?limit=1`)
  expect(body).toMatchObject([
    { status: 'pending', undoneAt: null, isUndoable: true, file: { name: 'june.qfx' } },
  ])
  const next = String(headers.link).match(/^<(.*)>; rel="next"$/)?.[1] ?? ''
  await gateway.send('GET', next)
  const { message } = gateway.received.at(-1)!
  expect(message).toMatchObject({ before: ids.transactionUploadId, limit: 1 })
  const foreign = Buffer.from(JSON.stringify([ids.transactionImportId])).toString('base64url')
  expect((await gateway.send('GET', `${url}?after=${foreign}`)).status).toBe(400)
  expect((await gateway.send('GET', `${url}?limit=101`)).status).toBe(400)
})

test('undoing an import answers with balances and the spending objects it changed', async () => {
  const recalculated = { recalculateSpending: () => ({ spending: [spending] }) }
  const uploads = { undoUpload: () => ({ balance: balances, envelopes: [envelope] }) }
  gateway = await createGateway({ uploads, spending: recalculated }, uploadsOn)
  const answer = await gateway.send('DELETE', `${url}/${ids.transactionUploadId}`)
  expect([answer.status, answer.body]).toEqual([
    200,
    {
      balance: expect.objectContaining({ bankAccountId: ids.bankAccountId }),
      spending: [expect.objectContaining({ spendingId: ids.spendingId })],
    },
  ])
  const { message } = gateway.received.find(({ rpc }) => rpc === 'UndoUpload')!
  expect(message).toMatchObject({
    bankAccountId: ids.bankAccountId,
    transactionUploadId: ids.transactionUploadId,
  })
})

describe('the progress socket', () => {
  const progressUrl = `${url}/${ids.transactionUploadId}/progress`
  const never = { pollMs: 600_000, limitMs: 600_000 }
  const prefix = newId('t')
  const subject = (name: string) => `${prefix}.${name}`
  let connection: NatsConnection
  let server: Awaited<ReturnType<typeof startGateway>>

  beforeAll(async () => {
    connection = await connectNats({ servers: process.env.COFFER_TEST_NATS_URL ?? '' })
  })
  afterAll(async () => await connection.close())
  afterEach(async () => await server[Symbol.asyncDispose]())

  async function serve(uploads: Stubs['uploads'] = {}, more: object = {}): Promise<void> {
    const times = { progressTimes: never, ...more }
    gateway = await createGateway({ uploads }, uploadsOn, {
      broker: { connection, hasConnected: () => true, subject },
      ...times,
    })
    server = await startGateway({ ...gateway.deps, port: 0, host: '127.0.0.1' })
  }

  const connect = (path = progressUrl, headers?: Record<string, string>) =>
    openSocket(server.port, path, headers)
  const refusal = (path: string, headers?: Record<string, string>) =>
    refusedUpgrade(server.port, path, headers)

  const announce = (news: unknown) => {
    const of = subject(`progress.${alice.accountId}.${ids.transactionUploadId}`)
    connection.publish(of, typeof news === 'string' ? news : JSON.stringify(news))
  }

  test('shows the upload, then each status and its counts, and closes in the end', async () => {
    await serve({ getUpload: () => ({ upload }) })
    const { socket, frames, closed } = connect()
    await once(socket, 'message')
    expect(frames[0]).toMatchObject({ fileId: upload.fileId, status: 'pending', completedAt: null })
    announce('not json')
    announce({ status: 'processing' })
    announce({ status: 'complete', importedCount: 3, skippedCount: 1, another: true })
    const [code] = await closed
    expect(code).toBe(1000)
    expect(frames.slice(1)).toEqual([
      { status: 'processing' },
      { status: 'complete', importedCount: 3, skippedCount: 1 },
    ])
  })

  test('misses no message that is published while the upload is read', async () => {
    let reads = 0
    const getUpload = async () => {
      reads += 1
      if (reads === 2) {
        announce({ status: 'processing' })
        announce({ status: 'failed' })
        await connection.flush()
      }
      return { upload }
    }
    await serve({ getUpload })
    const { frames, closed } = connect()
    await closed
    expect(frames.map(({ status }) => status)).toEqual(['pending', 'processing', 'failed'])
  })

  test('of a finished upload repeats the status and closes', async () => {
    await serve({ getUpload: () => ({ upload: { ...upload, status: 'failed', error: 'no OFX' } }) })
    const { frames, closed } = connect()
    const [code] = await closed
    expect(code).toBe(1000)
    expect(frames).toEqual([
      expect.objectContaining({ status: 'failed', error: 'no OFX' }),
      { status: 'failed', error: 'no OFX', ...counts },
    ])
  })

  test('shows the stored status when no message is published', async () => {
    let reads = 0
    const getUpload = () => {
      reads += 1
      return {
        upload: { ...upload, status: reads > 3 ? 'complete' : 'processing', importedCount: 2n },
      }
    }
    await serve({ getUpload }, { progressTimes: { ...never, pollMs: 5 } })
    const { frames, closed } = connect()
    await closed
    expect(frames.at(-1)).toEqual({ status: 'complete', ...counts, importedCount: 2 })
    expect(frames.slice(1, -1)).toContainEqual(expect.objectContaining({ status: 'processing' }))
  })

  test('closes after its timeout', async () => {
    await serve({ getUpload: () => ({ upload }) }, { progressTimes: { ...never, limitMs: 50 } })
    const { frames, closed } = connect()
    await closed
    expect(frames.at(-1)).toEqual({ status: 'timed out' })
  })

  test('is refused as JSON before it opens', async () => {
    await serve({
      getUpload: () => {
        throw notFound('transaction upload')
      },
    })
    const origin = `http://127.0.0.1:${server.port}`
    const wrong = progressUrl.replace('txup_', 'file_')
    expect(await refusal(progressUrl, {})).toMatchObject({ status: 401 })
    expect(await refusal(progressUrl)).toMatchObject({ status: 404 })
    expect(await refusal(wrong)).toMatchObject({ status: 400 })
    for (const other of ['http://evil.example', 'null', `${origin}.evil.example`]) {
      const answer = await refusal(progressUrl, { ...byKey, origin: other })
      expect(answer).toMatchObject({ status: 403, body: { error: expect.anything() } })
    }
    // A session belongs to a browser, and browsers always send Origin.
    expect(await refusal(progressUrl, bySession)).toMatchObject({ status: 403 })
    expect(await refusal(progressUrl, { ...bySession, origin })).toMatchObject({ status: 404 })
    // Pages send a GET for the reason, which browsers do not show them.
    expect(await gateway.send('GET', progressUrl)).toMatchObject({ status: 404 })
  })

  test('is open to a configured origin, and to twenty at a time', async () => {
    gateway = await createGateway(
      { uploads: { getUpload: () => ({ upload }) } },
      { ...uploadsOn, COFFER_ALLOWED_ORIGINS: 'https://app.example', COFFER_SOCKETS_MAX: '21' },
      { broker: { connection, hasConnected: () => true, subject }, progressTimes: never },
    )
    server = await startGateway({ ...gateway.deps, port: 0, host: '127.0.0.1' })
    const other = { ...byKey, origin: 'https://app.example' }
    const burst = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const { socket, closed } = connect(progressUrl, other)
        const refused = once(socket, 'unexpected-response').then(([request, { statusCode }]) => {
          request.destroy()
          return statusCode
        })
        return { socket, closed, outcome: await Promise.race([once(socket, 'open'), refused]) }
      }),
    )
    const opened = burst.filter(({ outcome }) => outcome !== 429)
    expect([burst.length, opened.length]).toEqual([30, 20])
    expect(await refusal(progressUrl)).toMatchObject({ status: 429 })
    for (const { socket } of opened) socket.close()
    await Promise.all(opened.map(({ closed }) => closed))
    await eventually(
      async () => (await gateway.send('GET', progressUrl)).status,
      (status) => status === 400,
    )
    announce({ status: 'complete' })
  })
})
