import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import type { Json } from '../harness/person.ts'
import { listen } from './http-server.ts'
import { callPlaid } from './plaid/call.ts'
import type { Plaid } from './plaid/plaid.ts'
import { openPlaidTour } from './plaid-tour.ts'

const keys = { clientId: 'client', secret: 'secret' }
const webhook = 'https://localhost:4000/api/aggregator/webhook'
const time = new Date('2026-03-01T10:00:00Z')

/** Creates an item of the sandbox; returns its access token. */
async function createItem(plaid: Plaid): Promise<string> {
  const { public_token } = await callPlaid(plaid, '/sandbox/public_token/create', {
    institution_id: 'ins_109508',
    initial_products: ['transactions'],
    options: { webhook },
  })
  const exchanged = await callPlaid(plaid, '/item/public_token/exchange', { public_token })
  return exchanged.access_token
}

async function read(plaid: Plaid, access_token: string): Promise<Json> {
  return callPlaid(plaid, '/transactions/sync', { access_token, count: 500 })
}

test('items keep their transactions over a restart, removed ones end', async () => {
  using scratch = mkdtempDisposableSync(join(tmpdir(), 'coffer-tour-'))
  const options = { ...keys, dataDir: scratch.path, webhookOrigin: 'http://127.0.0.1:1' }
  const first = await openPlaidTour(options)
  const token = await createItem(first.plaid)
  const removed = await createItem(first.plaid)
  first.shop(time)
  first.shop(time)
  await callPlaid(first.plaid, '/item/remove', { access_token: removed })
  await first.announce()
  const { added } = await read(first.plaid, token)
  expect(added.length).toBeGreaterThan(50)
  expect(added.filter((row: Json) => row.pending)).toHaveLength(1)
  await first[Symbol.asyncDispose]()

  await using second = await openPlaidTour(options)
  expect(second.bought).toBe(2)
  expect((await read(second.plaid, token)).added).toEqual(added)
  second.shop(time)
  expect((await read(second.plaid, token)).added).toHaveLength(added.length + 1)
  expect(second.plaid.items().filter(({ isRemoved }) => !isRemoved)).toHaveLength(2)
})

test('changes are announced until the client has read them, at most 30 times', async () => {
  using scratch = mkdtempDisposableSync(join(tmpdir(), 'coffer-tour-'))
  let received = 0
  await using coffer = await listen((_, response) => {
    received += 1
    response.end()
  })
  const options = { ...keys, dataDir: scratch.path, webhookOrigin: coffer.origin }
  await using tour = await openPlaidTour(options)
  const token = await createItem(tour.plaid)
  await tour.announce()
  await tour.announce()
  expect(received).toBe(2)
  await read(tour.plaid, token)
  await tour.announce()
  expect(received).toBe(2)
  tour.shop(time)
  for (let count = 0; count < 40; count += 1) await tour.announce()
  expect(received).toBe(32)
})
