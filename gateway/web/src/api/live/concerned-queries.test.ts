import { expect, test } from '@jest/globals'
import { concernedQueries } from './concerned-queries.ts'

const bank = 'bac_1'

test.each([
  ['transaction.updated', 'txn_1', bank, ['transaction bac_1 txn_1', 'transactions bac_1', 'tags']],
  ['spending.updated', 'spnd_1', bank, ['spending bac_1', 'explanation bac_1 spnd_1', 'overview']],
  ['spending.deleted', 'spnd_1', bank, ['spending bac_1', 'transactions bac_1']],
  ['bank_account.updated', bank, null, ['overview', 'forecast bac_1', 'history bac_1']],
  ['link.updated', 'link_1', null, ['overview', 'link-health link_1']],
  ['upload.updated', 'upl_1', bank, ['uploads bac_1', 'transactions bac_1']],
  ['bank_account.deleted', bank, null, ['']],
  ['robot.created', 'rbt_1', null, ['']],
])('%s concerns the answers about the object', (type, objectId, bankAccountId, expected) => {
  const change = { type, objectId, bankAccountId }
  const found = concernedQueries([change, change]).map((prefix) => prefix.join(' '))
  expect(found).toEqual(expect.arrayContaining(expected))
  expect(new Set(found).size).toBe(found.length)
  expect(found.some((one) => /^(me|sessions|api-keys|rules)\b/.test(one))).toBe(false)
})
