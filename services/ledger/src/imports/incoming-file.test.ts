import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { refusalOf } from '@coffer/kit/rpc/errors'
import { type FilePart, FilePartSchema } from '@coffer/proto/ledger/v1/upload'
import { ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { fileSizeMax, receiveFile } from './incoming-file.ts'

type Of = MessageInitShape<typeof FilePartSchema>['of']

const start: Of = { case: 'start', value: { bankAccountId: 'bac_1', name: 'a', contentType: 'b' } }
const end: Of = { case: 'end', value: { bodyHash: Uint8Array.of(7) } }
const kibibytes = (count: number): Of => ({
  case: 'bytes',
  value: new Uint8Array(count * 1024).fill(count),
})

/** Returns a stream of parts, and the count of parts that were read from it. */
function sent(...ofs: Of[]) {
  const asked = { count: 0, parts: parts() }
  async function* parts(): AsyncGenerator<{ part?: FilePart }> {
    for (const of of ofs) {
      asked.count += 1
      yield of ? { part: create(FilePartSchema, { of }) } : {}
    }
  }
  return asked
}

async function sizeOf(bytes: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0
  for await (const chunk of bytes) size += chunk.length
  return size
}

test('only the head of a file is read at first', async () => {
  const asked = sent(start, ...Array.from({ length: 40 }, () => kibibytes(16)), end)
  const file = await receiveFile(asked.parts)
  expect(file).toMatchObject({ bankAccountId: 'bac_1', name: 'a', contentType: 'b' })
  expect([file.head.length, asked.count]).toEqual([80 * 1024, 6])
  expect(await sizeOf(file.bytes)).toBe(640 * 1024)
  expect(await file.finish()).toMatchObject({ size: 640n * 1024n, bodyHash: Buffer.from([7]) })
})

test.each([
  [[], 0],
  [[kibibytes(0)], 0],
  [[kibibytes(3), kibibytes(0), kibibytes(2)], 5],
])('%# bytes are returned as sent, and finish reads the rest', async (parts, size) => {
  const whole = await receiveFile(sent(start, ...parts, end).parts)
  expect(whole.head).toHaveLength(size * 1024)
  expect(await sizeOf(whole.bytes)).toBe(size * 1024)
  const unread = await receiveFile(sent(start, ...parts, kibibytes(100), end).parts)
  expect((await unread.finish()).size).toBe(BigInt((size + 100) * 1024))
})

test('a file of the largest size is read; beyond it at most one more part is read', async () => {
  const many = Array.from({ length: fileSizeMax / 65_536 }, () => kibibytes(64))
  expect(await sizeOf((await receiveFile(sent(start, ...many, end).parts)).bytes)).toBe(fileSizeMax)
  const asked = sent(start, ...many, ...many, end)
  const file = await receiveFile(asked.parts)
  const error = await sizeOf(file.bytes).catch((reason) => ConnectError.from(reason))
  expect(error instanceof ConnectError && refusalOf(error)?.status).toBe(413)
  expect(asked.count).toBe(many.length + 2)
  await expect(file.finish()).rejects.toThrow('is incomplete')
})

test.each([
  ['its start', []],
  ['its start', [kibibytes(1), end]],
  ['its end', [start]],
  ['its end', [start, kibibytes(1)]],
  ['its end', [start, kibibytes(1), start, end]],
  ['its end', [start, undefined, end]],
])('a file without %s is refused: %#', async (_what, parts) => {
  const reading = receiveFile(sent(...(parts as Of[])).parts)
  await expect(reading.then(({ finish }) => finish())).rejects.toThrow(
    /is incomplete|must be the start/,
  )
})
