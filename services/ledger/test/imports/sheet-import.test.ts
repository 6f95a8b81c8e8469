import { booting } from '@coffer/host/testing/booting'
import { createHousehold } from '@coffer/host/testing/household'
import { beforeAll, expect, test } from '@jest/globals'
import { ledger } from '../../src/service.ts'
import { listed, problems } from '../outcomes.ts'
import { partsOf } from './file-parts.ts'
import { headers, importing } from './importing.ts'
import { xlsx } from './workbooks.ts'

const booted = booting([ledger])
let steps: ReturnType<typeof importing>

beforeAll(() => {
  steps = importing(booted)
})

const inline = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`

/** Returns an XLSX file whose sheet has these rows of texts. */
function workbook(rows: readonly string[][]): Uint8Array {
  const shown = rows.map((cells) => {
    return `<row>${cells.map(inline).join('')}</row>`
  })
  return xlsx([shown.join('')])
}

test('a sheet is imported as the CSV file of its table', async () => {
  const home = await createHousehold(booted)
  const row = (id: string, amount: string) => [
    id,
    '01/15/2026',
    'Shop, Main Street, Town',
    'Shop',
    amount,
    '10.00',
    'Posted',
  ]
  const content = workbook([headers, row('T-1', '-3.40'), row('T-2', '1,200.00')])
  expect(await steps.createImport(home, content)).toMatchObject({
    headers,
    delimeter: '\t',
    reading: {
      sheet: 'S0',
      sheets: [{ name: 'S0', rowCount: 3n }],
      reasons: expect.arrayContaining([
        expect.objectContaining({ choice: 'sheet', reason: 'the only one with a text' }),
      ]),
    },
  })
  const done = await steps.processed(home, content)
  expect(done).toMatchObject({ status: 'complete' })
  expect((await listed(home)).map((one) => [one.uploadIdentifier, one.amount])).toEqual([
    ['T-1', 340n],
    ['T-2', -120000n],
  ])
})

test.each([
  ['numbers do not tell', ['<c><v>-1234.5</v></c>'], 'failed'],
  ['numbers in another column do not', ['<c><v>3</v></c>', '<c><v>1234.5</v></c>'], 'failed'],
  ['texts tell', [inline('-7.25')], 'preview'],
])('how texts of amounts are written: %s', async (_name, [amount, balance = ''], status) => {
  const home = await createHousehold(booted)
  const { bankAccountId, as } = home
  const texts = (id: string, memo: string) => [id, '01/15/2026', memo, 'Shop'].map(inline).join('')
  const rows = [
    headers.map(inline).join(''),
    `${texts('T-1', 'a')}${amount}${balance || inline('')}${inline('Posted')}`,
    `${texts('T-2', 'b')}${inline('1.500')}${inline('')}${inline('Posted')}`,
  ]
  const content = xlsx([rows.map((cells) => `<row>${cells}</row>`).join('')])
  const made = await steps.previewed(home, content)
  expect(made.status).toBe(status)
  if (status === 'preview') return
  expect(made.error).toMatch(/^1\.500 can have decimals or thousands/)
  const { transactionImportId, transactionImportMappingId = '' } = made
  const step = { bankAccountId, transactionImportId, transactionImportMappingId }
  const choices = { decimalMark: ',' }
  await steps.imports.updateImport({ ...step, status: 'pending-preview', choices }, as)
  const { preview } = await steps.reached(home, transactionImportId, ['preview', 'failed'])
  const [first, second] = preview!.rows.map((row) => row.amount)
  expect([first, second]).toEqual([balance === '' ? 123450n : -300n, -150000n])
})

test.each([
  [Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), 'An old .xls file or one with a password: save it as'],
  [workbook([]), 'The file has no table with a text'],
  [workbook([['a', 'b'.repeat(7 * 1024 * 1024)]]), 'The table is larger than 6 MiB as CSV'],
])('a sheet that is unreadable is refused before it is stored: %#', async (content, reason) => {
  const home = await createHousehold(booted)
  const { data } = (await problems(steps.createImport(home, content))) as { data: string }
  expect(data.startsWith(reason)).toBe(true)
})

test('a sheet of a CSV file is refused', async () => {
  const home = await createHousehold(booted)
  const { bankAccountId, as } = home
  const content = Buffer.from(`${headers.join(',')}\n1,01/15/2026,X,,1.40,,Posted\n`)
  const body = { bankAccountId, name: 'a.csv', content, choices: { sheet: 'Nope' } }
  expect(await problems(steps.imports.createImport(partsOf(body), as))).toEqual({
    sheet: 'is only for workbooks',
  })
})
