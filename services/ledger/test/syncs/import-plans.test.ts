import { booting } from '@coffer/host/testing/booting'
import { inBulk } from '@coffer/host/testing/database'
import { wideScans } from '@coffer/kit/testing/plans'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { ledger } from '../../src/service.ts'
import { aRow, feedHome } from './syncing.ts'

const booted = booting([ledger])

/** Rows of 200 bank accounts; without checks of foreign keys, as plans need only these rows. */
async function fillRecords(url: string): Promise<void> {
  await inBulk({ url, schema: 'ledger' }, async (tx) => {
    await tx.query(sql.unsafe`SET LOCAL session_replication_role = replica`)
    await tx.query(sql.unsafe`
      INSERT INTO provider_transactions (account_id, bank_account_id, provider_transaction_id,
        provider_account_id, record_id, transaction_id, amount, currency, date, name,
        merchant_name, categories, is_pending, match_reason, created_at)
      SELECT 'acct_' || a, 'bac_' || a, 'p_' || n, 'x', 'r_' || n, 'txn_' || a || '_' || n, n,
        'USD', now() - make_interval(hours => n), 'x', 'x', '{}', false, 'new', now()
      FROM generate_series(1, 200) AS a, generate_series(1, 200) AS n`)
  })
}

test('an import reads only what its rows name, with and without statistics', async () => {
  const database = booted.database('ledger')
  const before = new Set(database.texts())
  const home = await feedHome(booted)
  const [one] = await home.brings(aRow())
  await home.brings(aRow({ isPending: true }))
  await home.loses(one?.providerTransactionId ?? '')
  const statements = database
    .texts()
    .filter((text) => !before.has(text) && text.includes('alike_from'))
  expect(statements.length).toBeGreaterThan(0)
  const wide = async () => {
    const scans = await wideScans(
      { url: booted.databaseUrl, schema: 'ledger' },
      {
        statements,
        tables: ['provider_transactions', 'transactions'],
        columns: ['transaction_id', 'amount', 'date'],
      },
    )
    return scans.map(({ table, node }) => `${table}: ${node}`)
  }
  await fillRecords(booted.databaseUrl)
  expect(await wide()).toEqual([])
  await database.pool.query(sql.unsafe`ANALYZE provider_transactions`)
  expect(await wide()).toEqual([])
})
