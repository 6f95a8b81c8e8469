import { setImmediate } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { Pages } from '../formats/rows/pages.ts'
import type { FileRow } from '../formats/statement.ts'
import { compareWithStored } from './known-rows.service.ts'

test('other work runs between the pages of a file, also if no row needs a comparison', async () => {
  const rows = new Pages<FileRow>(1)
  for (let n = 0; n < 5; n += 1) {
    const texts = { name: 'Row', originalName: 'Row', originalMerchantName: 'Row' }
    const of = { amount: 1n, date: new Date(0), isPending: false }
    rows.push({ uploadIdentifier: `row-${n}`, ...of, ...texts })
  }
  let turns = 0
  const ended = new AbortController()
  const others = async () => {
    for (; !ended.signal.aborted; turns += 1) await setImmediate()
  }
  const loop = others()
  const key = { accountId: 'acct_1', bankAccountId: 'bac_1' }
  // No row has an identifier to look for, so no statement is sent.
  const known = await compareWithStored(undefined as never, key, rows)
  ended.abort()
  await loop
  expect(turns).toBeGreaterThanOrEqual(5)
  expect(known.resolve([...rows])).toHaveLength(5)
})
