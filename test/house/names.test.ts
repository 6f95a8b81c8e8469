import { expect, test } from '@jest/globals'
import { badNames } from './names.ts'

test.each([
  'services/ledger/src/link.ts',
  'services/ledger/src/link.sql.ts',
  'services/ledger/src/link-clean-up.workflow.ts',
  'services/ledger/src/link.test.ts',
  'test/replicas/links.long.test.ts',
  'services/ledger/migrations/0001-links.sql',
  'README.md',
])('%s is a good name', (path) => {
  expect(badNames(path)).toEqual([])
})

test.each([
  'services/ledger/src/index.ts',
  'services/ledger/src/utils.ts',
  'gateway/src/helpers.ts',
  'services/ledger/src/common.sql.ts',
  'services/ledger/src/link.repository.ts',
])('%s is not', (path) => {
  expect(badNames(path)).toHaveLength(1)
})
