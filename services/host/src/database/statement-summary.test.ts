import { expect, test } from '@jest/globals'
import { summarize } from './statement-summary.ts'

test.each([
  ['SELECT id FROM transactions WHERE account_id = $1', 'SELECT transactions'],
  ['DELETE FROM sessions s USING users u WHERE s.id = u.id', 'DELETE sessions users'],
  ['INSERT INTO inbox (a) VALUES ($1) ON CONFLICT DO UPDATE SET a = $2', 'INSERT inbox'],
  ['UPDATE links SET a = $1 WHERE b = $2 RETURNING a', 'UPDATE links'],
  ['SELECT * FROM uploads WHERE a = $1 FOR NO KEY UPDATE SKIP LOCKED', 'SELECT uploads'],
  ['SELECT a FROM users u JOIN logins l USING (login_id)', 'SELECT users logins'],
  ['SELECT extract(epoch FROM created_at) FROM changes', 'SELECT changes'],
  ['SELECT a FROM t WHERE a IS DISTINCT FROM b', 'SELECT t'],
  ['SELECT count(*) FROM (SELECT FROM "files" LIMIT 1) AS counted', 'SELECT files'],
  ['SELECT "a" FROM "ledger"."bank_accounts" "found"', 'SELECT bank_accounts'],
  ['SELECT id FROM unnest($1::text[]) AS known (id)', 'SELECT'],
  ["SELECT 'FROM secrets' FROM goals -- FROM comments", 'SELECT goals'],
  [
    'WITH gone AS (DELETE FROM users RETURNING id) DELETE FROM logins USING gone',
    'DELETE users logins',
  ],
  [
    'WITH a AS MATERIALIZED (SELECT FROM envelopes), b (id) AS (SELECT FROM a) SELECT FROM b',
    'SELECT envelopes',
  ],
  [
    `WITH guard AS MATERIALIZED (SELECT new.* FROM jsonb_to_recordset($1) AS new (a text)
      CROSS JOIN LATERAL (SELECT 1 FROM bank_accounts FOR UPDATE) AS locked),
     kept AS (INSERT INTO transactions (a) SELECT a FROM guard ON CONFLICT (a) DO NOTHING)
     UPDATE bank_accounts SET b = 1 FROM guard`,
    'INSERT transactions UPDATE bank_accounts',
  ],
  ['SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', 'SELECT pg_advisory_xact_lock'],
  ['COMMIT', 'COMMIT'],
  ['', 'SQL'],
])('%s', (text, summary) => {
  expect(summarize(text).text).toBe(summary)
})

test('the operation and the table are given if there is one of them', () => {
  expect(summarize('SELECT FROM a')).toMatchObject({ operation: 'SELECT', table: 'a' })
  expect(summarize('SELECT FROM a JOIN b ON true')).toMatchObject({
    operation: 'SELECT',
    table: null,
  })
})

test('a summary has at most 255 characters and no part of a name', () => {
  const statements = Array.from({ length: 60 }, (_, index) => [
    `a${index} AS (INSERT INTO some_table_${index} SELECT FROM b)`,
    `b${index} AS (UPDATE other_table_${index} SET a = 1)`,
  ])
  const { text } = summarize(`WITH ${statements.flat().join(', ')} SELECT FROM c`)
  expect(text.length).toBeLessThanOrEqual(255)
  expect(text).toMatch(/ (some|other)_table_\d+$/)
})
