import type { Database } from '@coffer/kit/database/database'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { createDatabase } from '../src/database/pool.ts'
import { sweep } from '../src/housekeeping.ts'
import { cloneDatabase, inBulk } from '../testing/database.ts'
import { fixture } from '../testing/fixture/service.ts'

const stack = new AsyncDisposableStack()
let url: string
let database: Database

beforeAll(async () => {
  url = stack.use(await cloneDatabase([fixture])).url
  const options = { schema: fixture.schema, poolSizeMax: 1, statementTimeoutMs: 10_000 }
  database = stack.use(await createDatabase({ url, ...options }))
})

afterAll(async () => {
  await stack.disposeAsync()
})

const left = (query: ReturnType<typeof sql.unsafe>) => database.pool.anyFirst(query)

test('expired rows are deleted, others stay', async () => {
  const { pool } = database
  await pool.query(sql.unsafe`
    INSERT INTO idempotency_keys (account_id, route, key, body_hash, reply, created_at)
    VALUES ('acct_1', 'A', 'old', '', '', now() - interval '25 hours'),
      ('acct_1', 'A', 'fresh', '', '', now() - interval '23 hours')`)
  await pool.query(sql.unsafe`
    INSERT INTO changes (change_id, account_id, type, entity_id, version, payload, created_at,
      published_at)
    VALUES ('chg_old', 'acct_1', 't', 'e', 1, '', now() - interval '91 days', now()),
      ('chg_unpublished', 'acct_1', 't', 'e', 1, '', now() - interval '91 days', NULL),
      ('chg_fresh', 'acct_1', 't', 'e', 1, '', now() - interval '89 days', now())`)
  // Inbox rows outlive changes, so that a replayed change is recognised by its inbox row.
  await pool.query(sql.unsafe`
    INSERT INTO inbox (consumer, change_id, received_at)
    VALUES ('c', 'chg_old', now() - interval '98 days'),
      ('c', 'chg_kept', now() - interval '92 days')`)
  await sweep(database)
  expect(await left(sql.unsafe`SELECT key FROM idempotency_keys`)).toEqual(['fresh'])
  expect(await left(sql.unsafe`SELECT change_id FROM changes ORDER BY 1`)).toEqual([
    'chg_fresh',
    'chg_unpublished',
  ])
  expect(await left(sql.unsafe`SELECT change_id FROM inbox`)).toEqual(['chg_kept'])
})

test('one run deletes more than one batch', async () => {
  await inBulk({ url, schema: fixture.schema }, (tx) =>
    tx.query(sql.unsafe`
      INSERT INTO inbox (consumer, change_id, received_at)
      SELECT 'c', 'chg_' || n, now() - interval '98 days' FROM generate_series(1, 25000) n`),
  )
  await sweep(database)
  expect(await left(sql.unsafe`SELECT change_id FROM inbox`)).toEqual(['chg_kept'])
})
