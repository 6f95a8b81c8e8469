import { readFile } from 'node:fs/promises'
import { eventually } from '@coffer/kit/testing/boot'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import WebSocket from 'ws'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import type { Json, Person } from '../harness/person.ts'

let coffer: Coffer
let alice: Person

beforeAll(async () => {
  coffer = await startCoffer()
  alice = await coffer.person()
})

afterAll(async () => {
  await coffer[Symbol.asyncDispose]()
})

async function uploads(person: Person, path: string, file: string): Promise<Json> {
  const form = new FormData()
  const content = await readFile(new URL(`../data/${file}`, import.meta.url))
  form.set('data', new File([new Uint8Array(content)], file, { type: 'application/vnd.intu.QFX' }))
  const { status, body } = await person.call('POST', `${path}/transactions/upload`, { form })
  expect(status).toBe(200)
  return body
}

/** Everything the progress socket says until the server closes it. */
function follow(person: Person, path: string): Promise<Json[]> {
  const url = `${coffer.baseUrl.replace('http', 'ws')}/api${path}/progress`
  const { authorization } = person
  const socket = new WebSocket(url, { headers: { authorization, origin: coffer.baseUrl } })
  const frames: Json[] = []
  return new Promise((resolve, reject) => {
    socket.on('message', (data) => frames.push(JSON.parse(data.toString())))
    socket.on('close', () => resolve(frames))
    socket.on('error', reject)
  })
}

test('an export of a bank becomes transactions once, however often it is uploaded', async () => {
  const { path } = await alice.opensAccount(0)
  const first = await uploads(alice, path, 'checking.qfx')
  expect(first).toMatchObject({ status: 'pending', file: { kind: 'transactions/uploads' } })
  const frames = await follow(alice, `${path}/transactions/upload/${first.transactionUploadId}`)
  expect(frames[0]).toMatchObject({ transactionUploadId: first.transactionUploadId })
  expect(frames.at(-1)).toMatchObject({ status: 'complete' })
  const read = () => alice.get(`${path}/transactions/upload/${first.transactionUploadId}`)
  const done = await eventually(read, ({ status }) => status === 'complete')
  expect(done.importedCount).toBeGreaterThanOrEqual(300)
  const balances = await alice.get(`${path}/balances`)

  const again = await uploads(alice, path, 'checking.qfx')
  const repeated = await eventually(
    () => alice.get(`${path}/transactions/upload/${again.transactionUploadId}`),
    ({ status }) => status === 'complete',
  )
  expect(repeated).toMatchObject({ importedCount: 0, skippedCount: done.importedCount })
  expect(await alice.get(`${path}/balances`)).toEqual(balances)
})
