import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { refusalOf } from '@coffer/kit/rpc/errors'
import { headers } from '@coffer/kit/rpc/rpc'
import { newId } from '@coffer/kit/values/id'
import { FileService } from '@coffer/proto/ledger/v1/file'
import { ImportService } from '@coffer/proto/ledger/v1/import'
import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { ledger } from '../../src/service.ts'
import { partsOf, type SentFile } from './file-parts.ts'
import { storedFiles } from './stored-files.ts'

const booted = booting([ledger])

const statement = Buffer.alloc(512 * 1024, '<OFX>')

/** Returns `parts`, a file in chunks of 64 KiB, and `count`, the number of parts read so far. */
function pieces(file: Partial<SentFile> & { bankAccountId: string }, content = statement) {
  const sent = { count: 0, parts: counted() }
  async function* counted() {
    for await (const part of partsOf({ name: 'a.ofx', contentType, content, ...file })) {
      sent.count += 1
      yield part
    }
  }
  return sent
}

const contentType = 'application/octet-stream'

/** Returns two numbers: the account's files in the database, and its files in storage. */
async function keptOf({ accountId, as }: Household) {
  const { files } = await booted.client('ledger', FileService).listFiles({}, as)
  return [files.length, (await storedFiles(booted.dataDir, accountId)).length]
}

async function faultOf(call: Promise<unknown>) {
  const error = await call.then(
    () => null,
    (reason) => ConnectError.from(reason),
  )
  return error && { code: error.code, status: refusalOf(error)?.status }
}

test('an incomplete upload leaves neither a row nor bytes', async () => {
  const home = await createHousehold(booted)
  const { uploads, bankAccountId, as } = home
  const { parts } = pieces({ bankAccountId })
  async function* broken() {
    for (let count = 0; count < 5; count += 1) yield (await parts.next()).value ?? {}
    throw new ConnectError('gone', Code.Aborted)
  }
  expect(await faultOf(uploads.createUpload(broken(), as))).toMatchObject({ code: Code.Aborted })
  async function* endless() {
    for await (const part of pieces({ bankAccountId }).parts) {
      if (part.part.of?.case !== 'end') yield part
    }
  }
  expect((await faultOf(uploads.createUpload(endless(), as)))?.code).toBe(Code.FailedPrecondition)
  expect(await keptOf(home)).toEqual([0, 0])
})

test('a file that is too large is refused before all of it is read', async () => {
  const home = await createHousehold(booted)
  const { uploads, bankAccountId, as } = home
  const imports = booted.client('ledger', ImportService)
  for (const create of [uploads.createUpload, imports.createImport]) {
    const head = 'Date,Text,Amount\n'.repeat(5_000)
    const sent = pieces({ bankAccountId }, Buffer.alloc(20 * 1024 * 1024, head))
    expect((await faultOf(create(sent.parts, as)))?.status).toBe(413)
    expect(sent.count).toBeLessThan(100)
  }
  expect(await keptOf(home)).toEqual([0, 0])
})

test('an invalid upload is refused after its head', async () => {
  const home = await createHousehold(booted)
  const { uploads, bankAccountId, as } = home
  for (const [file, code] of [
    [{ bankAccountId: newId('bac') }, Code.NotFound],
    [{ bankAccountId, name: 'a.csv' }, Code.InvalidArgument],
    [{ bankAccountId, name: 'a.exe' }, Code.InvalidArgument],
  ] as const) {
    const sent = pieces(file, Buffer.alloc(512 * 1024, 'a,b\n'))
    expect((await faultOf(uploads.createUpload(sent.parts, as)))?.code).toBe(code)
    expect(sent.count).toBe(3)
  }
  expect(await keptOf(home)).toEqual([0, 0])
})

test('a repeated upload gets the first reply, another body under its key is 422', async () => {
  const home = await createHousehold(booted)
  const { uploads, bankAccountId, as } = home
  let replayed: (string | null)[] = []
  const keyed = {
    ...as,
    headers: { [headers.idempotencyKey]: newId('key') },
    onHeader: (header: Headers) => {
      replayed.push(header.get(headers.replayed))
    },
  }
  const send = (hash: number, file = {}, options = keyed) =>
    uploads.createUpload(
      pieces({ bankAccountId, bodyHash: Uint8Array.of(hash), ...file }).parts,
      options,
    )
  const former = { ...keyed, headers: { ...keyed.headers, [headers.onlyReplay]: 'true' } }
  const unknown = { ...former.headers, [headers.idempotencyKey]: newId('key') }
  expect((await faultOf(send(1, {}, { ...former, headers: unknown })))?.status).toBe(409)
  const first = await send(1)
  replayed = []
  const again = await Promise.all([send(1), send(1)])
  expect(again).toEqual([first, first])
  expect(replayed).toEqual(['true', 'true'])
  expect(await send(1, {}, former)).toEqual(first)
  expect((await faultOf(send(2)))?.status).toBe(422)
  expect((await faultOf(send(2, { name: 'a.exe' })))?.status).toBe(422)
  await home.accounts.archiveBankAccount({ bankAccountId }, as)
  expect(await send(1)).toEqual(first)
  expect((await keptOf(home))[0]).toBe(1)
})
