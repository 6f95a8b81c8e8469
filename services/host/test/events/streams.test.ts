import type { MessageInitShape } from '@bufbuild/protobuf'
import { refusalOf, refused } from '@coffer/kit/rpc/errors'
import type { CreateUploadRequestSchema } from '@coffer/proto/ledger/v1/upload'
import { Code, ConnectError } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { eventually } from '../../testing/boot.ts'
import { connectCalls, type Way } from '../../testing/fixture/mesh.ts'

const ways: Way[] = ['in memory', 'over HTTP/1.1']
const chunkSize = 65_536

/** Creates a client stream; counts the chunks read from it, and records whether it has ended. */
function aStream(name: string, { chunks = 3, last = async () => {} } = {}) {
  const stream = { taken: 0, isOver: false, parts: partsOf() }
  async function* partsOf(): AsyncGenerator<MessageInitShape<typeof CreateUploadRequestSchema>> {
    try {
      yield { part: { of: { case: 'start', value: { name } } } }
      for (; stream.taken < chunks; stream.taken += 1) {
        yield { part: { of: { case: 'bytes', value: new Uint8Array(chunkSize) } } }
      }
      await last()
    } finally {
      stream.isOver = true
    }
  }
  return stream
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error) => ConnectError.from(error).code,
  )

describe.each(ways)('a call that streams %s', (way) => {
  test.concurrent('delivers everything, in order', async () => {
    await using open = await connectCalls(way)
    const stream = aStream('fine', { chunks: 100 })
    const { upload } = await open.uploads.createUpload(stream.parts, open.as('gateway'))
    expect(upload?.transactionUploadId).toBe(String(100 * chunkSize))
    expect(stream).toMatchObject({ taken: 100, isOver: true })
  })

  test.concurrent('is read no faster than the handler consumes it', async () => {
    await using open = await connectCalls(way)
    const stream = aStream('held', { chunks: 1_000 })
    const patient = { ...open.as('gateway'), timeoutMs: 60_000 }
    const call = open.uploads.createUpload(stream.parts, patient)
    await open.calls.arrived
    // The client has stopped reading ahead when the chunk count is the same for 20 polls.
    const seen: number[] = []
    await eventually(
      async () => seen.push(stream.taken),
      () => seen.length > 20 && seen.at(-20) === seen.at(-1),
    )
    expect(stream.taken * chunkSize).toBeLessThan(16 * 1024 * 1024)
    open.calls.release()
    expect((await call).upload?.transactionUploadId).toBe(String(1_000 * chunkSize))
  })

  test.concurrent.each([
    ['refused', Code.FailedPrecondition],
    ['unavailable', Code.Unavailable],
    ['lostDatabase', Code.Unavailable],
    ['crash', Code.Internal],
    ['flaky', Code.Unavailable],
  ])('that is %s is answered at once and not retried', async (name, code) => {
    await using open = await connectCalls(way)
    const stream = aStream(name, { chunks: 1_000 })
    expect(await codeOf(open.uploads.createUpload(stream.parts, open.as('gateway')))).toBe(code)
    expect(stream.taken).toBeLessThan(1_000)
    await eventually(async () => stream.isOver, Boolean)
    expect(open.calls.tries()).toBe(1)
  })

  test.concurrent('without a caller is refused before anything is read', async () => {
    await using open = await connectCalls(way)
    const { parts } = aStream('fine')
    expect(await codeOf(open.uploads.createUpload(parts))).toBe(Code.Unavailable)
    expect(open.calls.tries()).toBe(0)
  })

  test.concurrent("fails on both sides with the client's error when it aborts", async () => {
    await using open = await connectCalls(way)
    const last = () => Promise.reject(refused('too much', { status: 413 }))
    const stream = aStream('fine', { chunks: 5, last })
    const call = open.uploads.createUpload(stream.parts, open.as('gateway'))
    const error = await call.catch((reason) => ConnectError.from(reason))
    expect(error instanceof ConnectError && refusalOf(error)?.status).toBe(413)
    await eventually(
      async () => open.calls.streams,
      ({ length }) => length === 1,
    )
  })

  test.concurrent('ends at its deadline or when its caller aborts', async () => {
    await using open = await connectCalls(way)
    const silence = () => new Promise<void>(() => undefined)
    const late = aStream('fine', { last: silence })
    const short = { ...open.as('gateway'), timeoutMs: 200 }
    expect(await codeOf(open.uploads.createUpload(late.parts, short))).toBe(Code.DeadlineExceeded)
    const gone = new AbortController()
    const given = aStream('fine', { last: silence })
    const options = { ...open.as('gateway'), signal: gone.signal }
    const call = open.uploads.createUpload(given.parts, options)
    await eventually(
      async () => given.taken,
      (taken) => taken === 3,
    )
    gone.abort()
    expect(await codeOf(call)).toBe(Code.Canceled)
    await eventually(
      async () => open.calls.streams,
      ({ length }) => length === 2,
    )
  })
})
