import { setImmediate, setTimeout } from 'node:timers/promises'
import { values } from '@coffer/proto/values'
import { expect, test } from '@jest/globals'
import { previewParts } from './file-preview.ts'
import { detectShape, shapeSteps } from './formats/csv/csv-shape.ts'
import { endInTurns } from './formats/rows/page-turns.service.ts'
import { Pages } from './formats/rows/pages.ts'
import { type FileRow, noBalances } from './formats/statement.ts'
import { findJoins } from './joining/join.service.ts'
import { compareWithStored } from './known/known-rows.service.ts'

const pause = () => setTimeout(1)

/** Returns a result, and how often other work came to its turn meanwhile. */
async function countTurns<Result>(
  run: () => Promise<Result>,
  turn: () => Promise<unknown> = pause,
): Promise<[Result, number]> {
  let turns = 0
  const ended = new AbortController()
  const others = async () => {
    for (; !ended.signal.aborted; turns += 1) await turn()
  }
  const loop = others()
  const result = await run()
  ended.abort()
  await loop
  return [result, turns]
}

test('other work runs between the pages of a file, also if no statement is sent', async () => {
  const rows = new Pages<FileRow>(1)
  for (let n = 0; n < 5; n += 1) {
    const texts = { name: 'Row', originalName: 'Row', originalMerchantName: 'Row' }
    const of = { amount: n === 4 ? -1n : 1n, date: new Date(0), isPending: false }
    rows.push({ uploadIdentifier: `row-${n}`, ...of, ...texts })
  }
  const key = { accountId: 'acct_1', bankAccountId: 'bac_1' }
  // No row has an identifier to look for, so no statement is sent.
  const [known, turns] = await countTurns(() =>
    compareWithStored(undefined as never, key, { rows }),
  )
  expect(turns).toBeGreaterThanOrEqual(5)
  expect(known.resolve([...rows])).toHaveLength(5)
  expect(known.hasDeposit).toBe(true)
  // Rows that are known by their identifiers alone are not read twice.
  const plain = { hasDeposit: true }
  const [, none] = await countTurns(() =>
    compareWithStored(undefined as never, key, { rows, plain }),
  )
  expect(none).toBeLessThan(5)

  const transaction = {
    transactionId: 'txn_1',
    amount: 1n,
    date: new Date(0),
    merchantName: null,
    isPending: false,
  }
  const texts = { name: 'Row', originalName: 'Row', originalMerchantName: 'Row' }
  const stored = [{ ...transaction, ...texts }]
  const [found, searched] = await countTurns(() => findJoins(rows.pages(), pagesOf(stored)))
  expect(searched).toBeGreaterThanOrEqual(5)
  expect(found.joins.map(({ row }) => row.uploadIdentifier)).toEqual(['row-0'])
})

test('joins are found in turns; a preview has 500, and the number of all', async () => {
  const texts = { name: 'Row', originalName: 'Row', originalMerchantName: 'Row' }
  const of = { amount: 1n, isPending: false, ...texts }
  const weekly = Array.from({ length: 2500 }, (_, week) => new Date(week * 7 * 86_400_000))
  const rows = weekly.map((date, at) => ({ uploadIdentifier: `row-${at}`, date, ...of }))
  const transactions = weekly.map((date, at) => {
    return {
      transactionId: `txn_${at}`,
      date,
      amount: 1n,
      merchantName: null,
      isPending: false,
      ...texts,
    }
  })
  const [found, turns] = await countTurns(() => findJoins([rows], pagesOf(transactions)))
  // The transactions and the pairs in three pages each, and one page of rows.
  expect(turns).toBeGreaterThanOrEqual(7)
  const file = { currency: 'USD', balances: noBalances, shown: [], skipped: [], misfits: [] }
  const preview = previewParts(
    {
      ...file,
      rowCount: 2500,
      knownCount: 0,
      setsBalances: false,
      balanceChanges: new Map(),
      ...found,
    },
    new Map(),
  )
  expect([preview.joinOffers.length, preview.joinOfferCount]).toEqual([500, 2500n])
  expect(preview.joinOffers[499]).toMatchObject({ uploadIdentifier: 'row-499' })
})

async function* pagesOf<Item>(...pages: Item[][]): AsyncGenerator<Item[]> {
  yield* pages
}

test('other work runs between the tables that a CSV file may be', async () => {
  const rows = Array.from({ length: 2000 }, (_, at) => `2026-01-05;Shop, ${at} | x;-${at}.50`)
  const bytes = Buffer.from(`Date;Text;Amount\n${rows.join('\n')}`)
  const delimiters = values['ReadingChoices.delimiter'].length
  const [shape, turns] = await countTurns(() => endInTurns(shapeSteps(bytes)), setImmediate)
  expect(shape).toEqual(detectShape(bytes))
  // One table is read, or its header looked for, at a time.
  expect(turns).toBeGreaterThanOrEqual(2 * delimiters)
})
