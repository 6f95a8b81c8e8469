import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { migrationFaults } from './migrations.ts'

const notValid = 'add a constraint NOT VALID, and validate it in the next file'
const root = join(import.meta.dirname, '../..')

/** Files from before these rules, which may be applied already: why each does no harm. */
const exceptions: Record<string, string> = {
  'aggregator-sync/0003-chosen-accounts.sql: build indexes CONCURRENTLY':
    'no release has written to the table',
  'budgeting/0002-plan-books.sql: change rows in a file after that of the table':
    'creations that a user has begun and not ended: few rows',
  'feed-sync/0002-syncs.sql: build indexes CONCURRENTLY': 'one row a link',
  'feed-sync/0002-syncs.sql: change rows in a file after that of the table': 'one row a link',
  [`identity/0002-mails-about-links.sql: ${notValid}`]:
    'mails are deleted after delivery, so the scan is short',
  'ledger/0002-search-text.sql: keep what the version before uses':
    'used by the version before the last one only',
  ...Object.fromEntries(
    [
      'add a constraint NOT VALID, and validate it in the next file',
      'drop indexes CONCURRENTLY',
      'build indexes CONCURRENTLY',
    ].map((fault) => [
      `ledger/0007-provider-indexes.sql: ${fault}`,
      'no release has written to the table',
    ]),
  ),
}

test('every migration after the first lets the version before run', () => {
  const paths = globSync('services/*/migrations/*.sql', { cwd: root }).sort()
  const changes = paths.filter((path) => !path.includes('/0001-'))
  expect(changes.length).toBeGreaterThan(10)
  const faults = changes.flatMap((path) =>
    migrationFaults(
      path.replace(/^services.(.+).migrations.(.+)$/, '$1/$2'),
      readFileSync(join(root, path), 'utf8'),
    ),
  )
  expect(faults.filter((fault) => !(fault in exceptions))).toEqual([])
  expect(Object.keys(exceptions).filter((fault) => !faults.includes(fault))).toEqual([])
})

function faultsOf(text: string): string[] {
  return migrationFaults('f', text)
}

test.each([
  ['CREATE INDEX i ON t (n)', 'build indexes CONCURRENTLY'],
  ['create unique index i on t (n)', 'build indexes CONCURRENTLY'],
  ['DROP INDEX i', 'drop indexes CONCURRENTLY'],
  ['DROP TABLE IF EXISTS t', 'keep what the version before uses'],
  ['DROP FUNCTION f(text)', 'keep what the version before uses'],
  ['ALTER TABLE t DROP COLUMN n', 'keep what the version before uses'],
  ['ALTER TABLE t DROP n', 'keep what the version before uses'],
  ['ALTER TABLE t RENAME n TO m', 'keep what the version before uses'],
  ['ALTER TABLE t RENAME TO u', 'keep what the version before uses'],
  ['ALTER TABLE t ADD COLUMN n text NOT NULL', 'give a NOT NULL column a default'],
  [
    `ALTER TABLE t ADD n text DEFAULT 'a,;', ADD m text NOT NULL`,
    'give a NOT NULL column a default',
  ],
  ['ALTER TABLE t ALTER COLUMN n SET NOT NULL', 'give a NOT NULL column a default'],
  ['ALTER TABLE t ALTER n TYPE bigint', 'do not rewrite the table'],
  ['ALTER TABLE t ALTER COLUMN n SET DATA TYPE bigint', 'do not rewrite the table'],
  ['ALTER TABLE t ADD n uuid DEFAULT gen_random_uuid()', 'do not rewrite the table'],
  ['ALTER TABLE t ADD n int4 GENERATED ALWAYS AS (m) STORED', 'do not rewrite the table'],
  ['ALTER TABLE t ADD n bigserial', 'do not rewrite the table'],
  ['LOCK TABLE t', 'lock tables briefly'],
  [
    'ALTER TABLE t ADD COLUMN n text; UPDATE t SET n = m',
    'change rows in a file after that of the table',
  ],
  [
    'ALTER TABLE t ADD CONSTRAINT c CHECK (n > 0) NOT VALID; ALTER TABLE t VALIDATE CONSTRAINT c',
    'validate a constraint in the next file',
  ],
  ['-- no transaction\nUPDATE t SET n = 1;', 'has only changes of indexes CONCURRENTLY'],
])('refused: %s', (text, fault) => {
  expect(faultsOf(text)).toEqual([`f: ${fault}`])
})

test.each([
  'ADD CONSTRAINT c CHECK (n > 0)',
  'ADD CONSTRAINT c FOREIGN KEY (a, b) REFERENCES u',
  'ADD CHECK (n > 0)',
  'ADD PRIMARY KEY (a, n)',
  'ADD UNIQUE (n)',
  'ADD COLUMN n text REFERENCES u',
  'ADD n text UNIQUE',
])('a constraint that scans the table is refused: %s', (action) => {
  const fault = 'f: add a constraint NOT VALID, and validate it in the next file'
  expect(faultsOf(`ALTER TABLE t ${action}`)).toEqual([fault])
})

test.each([
  'CREATE TABLE t (n text NOT NULL REFERENCES u); CREATE UNIQUE INDEX i ON t (n)',
  '-- no transaction\nCREATE INDEX CONCURRENTLY i ON t (n);\nDROP INDEX CONCURRENTLY IF EXISTS j;',
  `ALTER TABLE t ADD COLUMN n text NOT NULL DEFAULT '{}', ADD m timestamptz DEFAULT now()`,
  'ALTER TABLE t ADD CONSTRAINT c CHECK (n > 0) NOT VALID',
  'ALTER TABLE t ADD CONSTRAINT c UNIQUE USING INDEX i',
  'ALTER TABLE t VALIDATE CONSTRAINT c',
  'ALTER TABLE t DROP CONSTRAINT c; ALTER TABLE t SET (fillfactor = 50)',
  'ALTER TABLE t ALTER COLUMN n DROP NOT NULL, ALTER COLUMN m SET DEFAULT 1',
  'CREATE FUNCTION f() RETURNS trigger AS $$ BEGIN DROP TABLE t; END $$',
  '-- DROP TABLE t;\nUPDATE t SET n = 1',
])('fine: %s', (text) => {
  expect(faultsOf(text)).toEqual([])
})
