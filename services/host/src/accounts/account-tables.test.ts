import { expect, test } from '@jest/globals'
import { camelCase, shownTables } from './account-tables.ts'

test('credentials, keys and tables of the infrastructure are not shown', () => {
  const column = (
    table: string,
    name: string,
    type = 'text',
    keyPosition: number | null = null,
  ) => ({ table, column: name, type, keyPosition })
  const linkColumns = [
    'key_id',
    'data_key',
    'ciphertext',
    'access_token',
    'password',
    'customer_id',
    'note',
  ]
  const tables = shownTables(
    [
      column('sessions', 'token_hash', 'bytea', 3),
      column('sessions', 'user_id', 'text', 2),
      column('sessions', 'account_id', 'text', 1),
      column('sessions', 'created_at', 'timestamp with time zone'),
      ...linkColumns.map((name) => column('links', name)),
      column('changes', 'payload', 'bytea'),
      column('idempotency_keys', 'route'),
    ],
    ['links.customer_id'],
  )
  expect(tables.map(({ table, columns, key }) => [table, names(columns), names(key)])).toEqual([
    ['links', ['note'], []],
    ['sessions', ['user_id', 'account_id', 'created_at'], ['user_id', 'token_hash']],
  ])
})

function names(columns: { column: string }[]): string[] {
  return columns.map(({ column }) => column)
}

test.each([
  ['bank_account_id', 'bankAccountId'],
  ['name', 'name'],
])('%s is %s in JSON', (name, expected) => {
  expect(camelCase(name)).toBe(expected)
})
