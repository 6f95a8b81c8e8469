import { booting } from '@coffer/host/testing/booting'
import { createHousehold } from '@coffer/host/testing/household'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { searchedTextOf } from '../../src/book/transaction.ts'
import { ledger } from '../../src/service.ts'
import { importFile, statementOf } from '../imports/uploading.ts'
import { namesOf } from './searched-household.ts'

const booted = booting([ledger])

test('the process folds texts as Postgres does, or leaves the fold to it', async () => {
  const none = { name: null, originalName: '', merchantName: null, originalMerchantName: '' }
  const letters = Array.from({ length: 0xd800 - 1 }, (_, at) => String.fromCodePoint(at + 1))
  const texts = letters.map((letter) => `é${letter}İΣ${letter} ẞ`)
  const folded = texts.map((originalName) => searchedTextOf({ ...none, originalName, notes: null }))
  const own = texts.flatMap((text, at) => (folded[at] ? [{ text, fold: folded[at] }] : []))
  expect(own.length).toBeGreaterThan(45_000)
  const { pool } = booted.database('ledger')
  const wrong = await pool.any(sql.type(z.object({ text: z.string() }))`
    SELECT text FROM jsonb_to_recordset(${JSON.stringify(own)}::jsonb) AS own(text text, fold text)
    WHERE fold IS DISTINCT FROM E'\n' || folded_text(text)`)
  expect(wrong).toEqual([])
  const left = ['Rent', 'ᏣᎳᎩ', '🏠 Tür'].map((name) =>
    searchedTextOf({ ...none, name, notes: null }),
  )
  expect(left).toEqual([null, null, null])
})

test('an import stores folded texts, and a change of a text removes them', async () => {
  const home = await createHousehold(booted)
  const { accountId, bankAccountId, as, transactions } = home
  const file = statementOf({ '1': '-1.00', '2': '-2.00', '3': '-3.00' })
    .replace('ROW 1', 'Müller Straße<MEMO>Café')
    .replace('ROW 2', 'Crème brûlée')
  expect(await importFile(home, file)).toMatchObject({ status: 'complete', importedCount: 3n })
  const Stored = z.object({ id: z.string(), kept: z.string().nullable(), lines: z.string() })
  const stored = () =>
    booted.database('ledger').pool.any(sql.type(Stored)`
      SELECT transaction_id AS id, replace(searched_text, E'\n', '|') AS kept,
        trim('|' FROM regexp_replace(folded_transaction_text(name, original_name, merchant_name,
          original_merchant_name, notes), E'\n+', '|', 'g')) AS lines
      FROM transactions WHERE account_id = ${accountId} ORDER BY amount`)
  const [first, second, third] = await stored()
  expect([first?.kept, second?.kept, third?.kept]).toEqual([
    expect.stringContaining('muller strasse'),
    expect.stringContaining('creme brulee'),
    null,
  ])
  for (const one of [first, second]) {
    expect(one?.kept?.split('|').filter(Boolean).sort()).toEqual(one?.lines.split('|').sort())
  }
  expect(await namesOf(home, { search: 'MULLER' })).toHaveLength(1)
  expect(await namesOf(home, { search: 'café' })).toHaveLength(1)
  const change = async (id = '', field: { name: string } | { amount: bigint }) => {
    const key = { bankAccountId, transactionId: id, updateMask: { paths: Object.keys(field) } }
    await transactions.updateTransaction({ ...key, ...field }, as)
  }
  await change(first?.id, { name: 'Bäcker' })
  await change(second?.id, { amount: 250n })
  expect((await stored()).map(({ kept }) => kept)).toEqual([null, second?.kept, null])
  expect(await namesOf(home, { search: 'backer' })).toEqual(['Bäcker'])
})
