import { timestampNow } from '@bufbuild/protobuf/wkt'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { ledger } from '../../src/service.ts'
import {
  findCluster,
  firstPage,
  listTexts,
  replaceClusters,
} from '../../src/similar/cluster.sql.ts'
import type { TransactionCluster } from '../../src/similar/cluster.ts'

const booted = booting([ledger])

const tables = () => booted.database('ledger')

function cluster(
  { accountId, bankAccountId }: Household,
  changes: Partial<TransactionCluster>,
): TransactionCluster {
  const found = { transactionClusterId: newId('tcl'), signature: 'a', centroid: 'txn_1' }
  const term = { word: 'Tea', sanitized: 'tea', order: 1.5, value: 1.25, rank: 1, count: 2 }
  const now = new Date('2026-01-01T00:00:00Z')
  const at = { createdAt: now, updatedAt: now }
  const terms = { debug: [term], merchant: [term] }
  const named = { name: 'Tea', originalName: 'Tea', members: ['txn_2', 'txn_1'] }
  return { accountId, bankAccountId, ...found, ...named, ...terms, ...at, ...changes }
}

async function stored({ accountId }: Household) {
  const Row = z.object({ id: z.string(), signature: z.string(), members: z.string() })
  const rows = await tables().pool.any(sql.type(Row)`
    SELECT transaction_cluster_id AS id, signature, array_to_string(members, ' ') AS members
    FROM transaction_clusters WHERE account_id = ${accountId} ORDER BY signature`)
  return rows.map(({ id, signature, members }) => [id, signature, members])
}

test('a page of texts begins after the previous one, whatever the dates', async () => {
  const home = await createHousehold(booted)
  const { accountId, bankAccountId } = home
  // Inserts 45 transactions on each of ten dates, IDs in the order of dates; every ninth is
  // deleted.
  await tables().pool.query(sql.unsafe`
    INSERT INTO transactions (account_id, bank_account_id, transaction_id, amount, categories, date,
      original_name, original_merchant_name, is_pending, source, created_at, deleted_at)
    SELECT ${accountId}, ${bankAccountId}, 'txn_' || lpad(n::text, 4, '0'), 1, '{}',
      '2026-01-01T06:00:00.000123Z'::timestamptz + n / 45 * interval '1 day', 'Tea ' || n, 'House',
      false, 'manual', now(), CASE WHEN n % 9 = 0 THEN now() END
    FROM generate_series(0, 449) AS n`)
  const seen: string[] = []
  let after = firstPage
  for (let page = 0; page < 50; page++) {
    const rows = await listTexts(tables(), home, { after, limit: 37 })
    seen.push(...rows.map(({ transactionId }) => transactionId))
    after = rows.at(-1) ?? after
  }
  const live = Array.from({ length: 450 }, (_, n) => n).filter((n) => n % 9 !== 0)
  expect(seen).toEqual(live.reverse().map((n) => `txn_${String(n).padStart(4, '0')}`))
})

test('clusters are keyed by signature and centroid: stored ones keep their ID', async () => {
  const home = await createHousehold(booted)
  const [a, b] = [cluster(home, {}), cluster(home, { signature: 'b', members: ['txn_8'] })]
  await replaceClusters(tables(), home, [a, b])
  const idOf = ({ transactionClusterId }: TransactionCluster) => transactionClusterId
  expect(await stored(home)).toEqual([
    [idOf(a), 'a', 'txn_2 txn_1'],
    [idOf(b), 'b', 'txn_8'],
  ])
  const grown = cluster(home, { members: ['txn_3', 'txn_2', 'txn_1'], name: 'Other' })
  const moved = cluster(home, { signature: 'b', centroid: 'txn_9', members: ['txn_8'] })
  await replaceClusters(tables(), home, [grown, moved])
  expect(await stored(home)).toEqual([
    [idOf(a), 'a', 'txn_3 txn_2 txn_1'],
    [idOf(moved), 'b', 'txn_8'],
  ])
  await replaceClusters(tables(), home, [])
  expect(await stored(home)).toEqual([])
})

test('a cluster with unchanged members is not written again', async () => {
  const home = await createHousehold(booted)
  await replaceClusters(tables(), home, [cluster(home, {})])
  const Row = z.object({ xmin: z.string(), updatedAt: z.date() })
  const read = () =>
    tables().pool.one(sql.type(Row)`
      SELECT xmin::text, updated_at AS "updatedAt" FROM transaction_clusters
      WHERE account_id = ${home.accountId}`)
  const before = await read()
  const updatedAt = new Date('2026-02-01T00:00:00Z')
  await replaceClusters(tables(), home, [cluster(home, { updatedAt })])
  expect(await read()).toEqual(before)
  await replaceClusters(tables(), home, [cluster(home, { updatedAt, members: ['txn_1'] })])
  expect(await read()).toMatchObject({ updatedAt })
})

test('no cluster is stored for an archived, unknown or different bank account', async () => {
  const home = await createHousehold(booted)
  const other = await createHousehold(booted)
  await replaceClusters(tables(), other, [cluster(other, {})])
  const unknown = { accountId: home.accountId, bankAccountId: other.bankAccountId }
  await replaceClusters(tables(), unknown, [cluster(home, unknown)])
  await home.accounts.archiveBankAccount({ bankAccountId: home.bankAccountId }, home.as)
  await replaceClusters(tables(), home, [cluster(home, {})])
  await replaceClusters(tables(), home, [])
  expect(await stored(home)).toEqual([])
  expect(await stored(other)).toHaveLength(1)
})

test('the cluster of a transaction is read as it was stored', async () => {
  const home = await createHousehold(booted)
  const { bankAccountId, transactions, as } = home
  const { transaction } = await transactions.createTransaction(
    { bankAccountId, amount: 5n, name: 'Tea', date: timestampNow() },
    as,
  )
  const transactionId = transaction?.transactionId ?? ''
  const found = cluster(home, { members: ['txn_9', transactionId] })
  await replaceClusters(tables(), home, [found])
  const key = { bankAccountId, transactionId }
  expect(await findCluster(tables(), home.accountId, key)).toEqual(found)
  await replaceClusters(tables(), home, [])
  expect(await findCluster(tables(), home.accountId, key)).toBeUndefined()
  const missing = { bankAccountId, transactionId: 'txn_9' }
  expect(await findCluster(tables(), home.accountId, missing)).toBeNull()
})
