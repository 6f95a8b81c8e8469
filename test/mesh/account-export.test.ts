import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { findShownTables, readRows } from '@coffer/host/accounts/account-data.sql'
import { camelCase, type ShownTable } from '@coffer/host/accounts/account-tables'
import { eventually } from '@coffer/host/testing/boot'
import { inBulk } from '@coffer/host/testing/database'
import { started } from '@coffer/host/testing/started'
import type { Database } from '@coffer/kit/database/database'
import { newId } from '@coffer/kit/values/id'
import { beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import type { CreatedBankAccount, Json, Person } from '../harness/person.ts'
import { feedKey, startFullCoffer } from './full-account.ts'
import { rowsOf } from './rows-of-account.ts'

let person: Person

const full = started(() => startFullCoffer())

beforeAll(async () => {
  person = await full.createAccount()
})

const path = '/users/me/export'
const transactionCount = 50_000

/** Inserts many transactions into a bank account by one statement. */
async function fill(accountId: string, bankAccountId: string): Promise<void> {
  await inBulk({ url: full.coffer.booted.databaseUrl, schema: 'ledger' }, (tx) =>
    tx.query(sql.unsafe`
      INSERT INTO transactions SELECT made.*
      FROM transactions AS one, generate_series(1, ${transactionCount}) AS n,
        LATERAL jsonb_populate_record(one, jsonb_build_object('transaction_id',
          ${newId('txn').slice(0, -6)}::text || lpad(n::text, 6, '0'))) AS made
      WHERE one.account_id = ${accountId} AND one.bank_account_id = ${bankAccountId}`),
  )
}

test('an export has every row of the account, no row of another one and no secret', async () => {
  const neighbour = await full.createAccount()
  const { status, headers, body } = await person.call('GET', path, { asSession: true })
  expect([status, body.format, body.complete]).toEqual([200, 1, true])
  expect(headers.get('content-disposition')).toBe('attachment; filename="coffer-export.json"')
  const { body: me } = await person.call('GET', '/users/me', { asSession: true })
  expect(me.sessionExpiresAt).toMatch(/^20/)
  expect({ ...body.me, isSetup: true }).toEqual(me)
  const exported: Record<string, number> = {}
  for (const [service, tables] of Object.entries(body.services as Record<string, object>)) {
    for (const [table, rows] of Object.entries(tables)) {
      expect(new Set(rows.map((row: { accountId: string }) => row.accountId)).size).toBeLessThan(2)
      if (rows.length > 0) exported[`${service}.${table}`] = rows.length
    }
  }
  expect(exported).toEqual(await storedRows())
  const text = JSON.stringify(body)
  for (const secret of [
    neighbour.accountId,
    feedKey,
    person.password,
    person.cookie.split('=')[1],
  ]) {
    expect(text).not.toContain(secret)
  }
  expect(text).not.toMatch(/argon2|ciphertext|dataKey|tokenHash|secretHash|cus_|sub_/)
})

/** Returns the person's number of rows by exported table, named as in the export. */
async function storedRows(): Promise<Record<string, number>> {
  const stored = Object.entries(await rowsOf(full.coffer.booted.databaseUrl, person))
  const isOwn = /\.(changes|change_sequences|idempotency_keys|logins|feeds|feed_events)$/
  const shown = stored.filter(([table]) => !isOwn.test(table))
  return Object.fromEntries(shown.map(([table, count]) => [exportedName(table), count]))
}

function exportedName(table: string): string {
  const [schema = '', name = ''] = table.split('.')
  return `${schema.replace('_', '-')}.${camelCase(name)}`
}

test('pages of one row cover every table of every schema', async () => {
  const read: Record<string, number> = {}
  const keyTypes = new Set<string>()
  for (const [service, database] of Object.entries(full.coffer.booted.host.databases)) {
    for (const table of await findShownTables(database, [])) {
      const count = await countByPages(database, table)
      for (const { type } of table.key) keyTypes.add(type)
      if (count > 0) read[`${service}.${camelCase(table.table)}`] = count
    }
  }
  expect(read).toEqual(await storedRows())
  expect(read['ledger.journal']).toBeGreaterThan(1)
  expect(keyTypes).toEqual(new Set(Object.keys(lowest)))
})

/** A value smaller than every stored key, by type of the key's column. */
const lowest: Record<string, string> = { text: '', bigint: '0', bytea: '\\x' }

/**
 * Counts the person's rows of a table. Reads pages of one row, to test that each page begins after
 * the last one.
 */
async function countByPages(database: Database, from: ShownTable): Promise<number> {
  let after = from.key.map(({ type }) => lowest[type] ?? 'no lowest key of this type')
  for (let count = 0; ; count++) {
    const [row] = await readRows(database, person.accountId, { from, after, limit: 1 })
    if (!row) return count
    if (row.key.length === 0) return count + 1
    after = row.key
  }
}

test('amounts, times and names are as in REST', async () => {
  const person = await full.coffer.person()
  const { id } = await person.createBankAccount(123_456)
  const { body } = await person.call('GET', path, { asSession: true })
  const shown = await person.get(`/bank_accounts/${id}`)
  expect(body.services.ledger.bankAccounts[0]).toMatchObject({
    bankAccountId: id,
    availableBalance: 123_456,
    name: shown.name,
    createdAt: shown.createdAt,
  })
})

test('an export that another person uploads restores the rows and the balances', async () => {
  const [from, to] = [await full.coffer.person(), await full.coffer.person()]
  const [source, target] = [await from.createBankAccount(50_000), await to.createBankAccount(0)]
  for (const [name, amount, day] of [
    ['Tea', 300, '20'],
    ['Refund', -1_250, '21'],
  ] as const) {
    const date = `2026-01-${day}T06:00:00Z`
    await from.post(`${source.path}/transactions`, { name, amount, date, adjustsBalance: true })
  }
  const { body } = await from.call('GET', path, { asSession: true })
  const form = new FormData()
  form.set('data', new Blob([JSON.stringify(body)]), 'coffer-export.json')
  const upload = `${target.path}/transactions/upload`
  const { transactionUploadId } = (await to.call('POST', upload, { form })).body
  const ended = await eventually(
    () => to.get(`${upload}/${transactionUploadId}`),
    ({ status }) => ['complete', 'failed'].includes(status),
  )
  expect(ended).toMatchObject({ status: 'complete', importedCount: 2, rowCount: 2 })
  expect(await stateOf(to, target)).toEqual(await stateOf(from, source))
  expect(await stateOf(to, target)).toMatchObject({ balances: [50_950, 50_950] })
})

/** Returns the transactions and the balances of a bank account, without IDs. */
async function stateOf(person: Person, { path: account, bank }: CreatedBankAccount) {
  const rows: Json[] = await person.get(`${account}/transactions`)
  const { current, available } = (await person.client.getBalances(bank)).data
  return {
    rows: rows.map(({ name, amount, date }) => [name, amount, date]),
    balances: [current, available],
  }
}

test('an API key gets no export', async () => {
  const person = await full.coffer.person()
  expect((await person.call('GET', path)).status).toBe(401)
})

test('fifty thousand transactions are sent page by page, with backpressure', async () => {
  const person = await full.coffer.person()
  const { id, path: account } = await person.createBankAccount()
  const date = new Date().toISOString()
  await person.post(`${account}/transactions`, { name: 'Tea', amount: 300, date })
  await fill(person.accountId, id)
  const { statements } = full.coffer.booted.database('ledger')
  const before = statements()
  const response = await download(person)
  // Backpressure: the client reads nothing, so the server queries only rows that fit into the
  // buffers of the sockets (10 MB at most).
  const stalled = await untilConstant(() => statements() - before)
  expect(stalled).toBeLessThan((transactionCount / 500) * 0.8)
  const { bytes, chunkMax, text } = await drain(response)
  expect(text.match(/"transactionId"/g)?.length).toBeGreaterThan(transactionCount)
  expect(JSON.parse(text).complete).toBe(true)
  expect(bytes).toBeGreaterThan(25_000_000)
  expect(chunkMax).toBeLessThan(1_000_000)
})

async function download({ cookie }: Person): Promise<IncomingMessage> {
  const sent = request(`${full.coffer.baseUrl}/api${path}`, { headers: { cookie } }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return response
}

/** Waits until the count stops changing. Returns it. */
async function untilConstant(count: () => number): Promise<number> {
  let [last, same] = [-1, 0]
  while (same < 10) {
    await sleep(100)
    same = count() === last ? same + 1 : 0
    last = count()
  }
  return last
}

async function drain(response: IncomingMessage) {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  const sizes = chunks.map(({ length }) => length)
  const text = Buffer.concat(chunks).toString()
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), chunkMax: Math.max(...sizes), text }
}
