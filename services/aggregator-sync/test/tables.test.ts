import { findShownTables } from '@coffer/host/accounts/account-data.sql'
import { boot } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { CheckIntegrityConstraintViolationError, sql } from 'slonik'
import { aggregatorSync } from '../src/service.ts'

const booted = started(() => boot([aggregatorSync]))

async function exportedColumns(hidden: readonly string[]): Promise<string[]> {
  const tables = await findShownTables(booted.database('aggregator-sync'), hidden)
  return tables.flatMap(({ table, columns }) => columns.map(({ column }) => `${table}.${column}`))
}

test("an account's export has no item, no cursor and no address of webhooks", async () => {
  const hidden = aggregatorSync.hidden ?? []
  expect(await exportedColumns([])).toEqual(expect.arrayContaining(hidden))
  const exported = await exportedColumns(hidden)
  expect(exported).toContain('aggregator_links.status')
  const secret = /\.(cursor|page_cursor|webhook_url|\w+_accounts|holder|ciphertext)$/
  // IDs of ours are those of links and accounts; any other is the aggregator's.
  const foreign = /\.(?!(account|bank_account|link|user|sync_run|institution)_id$)\w*_id$/
  const found = exported.filter((name) => secret.test(name) || foreign.test(name))
  expect(found).toEqual([])
})

const at = '2026-05-01T08:00:00Z'

async function insert(columns: Record<string, string | null>): Promise<void> {
  const link = {
    account_id: newId('acct'),
    link_id: newId('link'),
    institution_name: 'First Platypus Bank',
    products: '{transactions}',
    created_at: at,
    created_by: newId('user'),
    updated_at: at,
    ...columns,
  }
  const names = Object.keys(link).map((name) => sql.identifier([name]))
  const values = Object.values(link).map((value) => sql.fragment`${value}`)
  await booted.database('aggregator-sync').pool.query(sql.unsafe`
    INSERT INTO aggregator_links (${sql.join(names, sql.fragment`, `)})
    VALUES (${sql.join(values, sql.fragment`, `)})`)
}

test('a link has no item while it is being created, and after its creation failed', async () => {
  await insert({ status: 'creating' })
  await insert({ status: 'pending', item_id: 'item-1' })
  await insert({ status: 'deactivated', deleted_at: at, released_at: at })
})

test.each([
  ['an unknown status', { status: 'active', item_id: 'item-2' }],
  ['no item', { status: 'setup' }],
  ['a deletion, but another status', { status: 'setup', item_id: 'item-3', deleted_at: at }],
  ['the status of a deleted link alone', { status: 'deactivated' }],
  ['a schedule after its deletion', { status: 'deactivated', deleted_at: at, next_sync_at: at }],
  ['a release before its deletion', { status: 'setup', item_id: 'item-4', released_at: at }],
])('a link with %s is refused', async (_, columns) => {
  await expect(insert(columns)).rejects.toThrow(CheckIntegrityConstraintViolationError)
})

test('an item belongs to one link of all accounts', async () => {
  await insert({ status: 'setup', item_id: 'item-5' })
  await expect(insert({ status: 'setup', item_id: 'item-5' })).rejects.toMatchObject({
    constraint: 'aggregator_links_item',
  })
})
