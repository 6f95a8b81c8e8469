import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { Code } from '@connectrpc/connect'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { ledger } from '../../src/service.ts'
import { listed, problems, refusals } from '../outcomes.ts'
import { headers, importing } from './importing.ts'
import { storedFiles } from './stored-files.ts'

const booted = booting([ledger])
let steps: ReturnType<typeof importing>

beforeAll(() => {
  steps = importing(booted)
})

describe('the reading of a file', () => {
  const text = (rows: string) => Buffer.from(`${headers.join(',')}\n${rows}`)

  test('is shown with its reasons, and changed by choices', async () => {
    const home = await createHousehold(booted)
    const { bankAccountId, as } = home
    const made = await steps.createImport(home)
    expect(made.reading).toMatchObject({
      delimiter: ',',
      encoding: 'utf-8',
      headerRow: 1,
      dateFormat: 'MM/DD/YYYY',
      rows: { length: 4 },
      reasons: [
        { choice: 'delimiter', reason: '7 columns, and 4 rows with a date and an amount' },
        { choice: 'encoding', reason: 'the text is valid UTF-8' },
        { choice: 'headerRow', reason: 'the line above the rows' },
        { choice: 'dateFormat', reason: 'as in 01/17/2026' },
      ],
    })
    const key = { bankAccountId, transactionImportId: made.transactionImportId }
    const choices = { headerRow: 0, dayFirst: true }
    const { import: changed } = await steps.imports.updateImport({ ...key, choices }, as)
    expect(changed).toMatchObject({
      status: 'mapping',
      reading: { headerRow: 0, rows: [{ cells: headers }, {}, {}, {}, {}] },
    })
    expect(changed?.headers).toEqual(headers.map((_, index) => `Column ${index + 1}`))
    expect(changed?.signature).not.toBe(made.signature)
    const outcome = (wrong: object) =>
      problems(steps.imports.updateImport({ ...key, choices: wrong }, as))
    expect(await outcome({ encoding: 'klingon' })).toEqual({ encoding: 'must be a known encoding' })
    expect(await outcome({ headerRow: -1, dateFormat: 'x' })).toHaveProperty('dateFormat')
  })

  test('is detected again where a choice is taken back', async () => {
    const home = await createHousehold(booted)
    const { bankAccountId, as } = home
    const made = await steps.createImport(home)
    const key = { bankAccountId, transactionImportId: made.transactionImportId }
    const change = async (choices: object, paths: string[]) => {
      const request = { ...key, choices, choicesMask: { paths } }
      return (await steps.imports.updateImport(request, as)).import?.reading
    }
    const stated = { headerRow: 0, encoding: 'windows-1250', dateFormat: 'DD/MM/YYYY' }
    const paths = ['header_row', 'encoding', 'date_format']
    expect(await change({ ...stated, delimiter: ',' }, [...paths, 'delimiter'])).toMatchObject(
      stated,
    )
    expect(await change({}, ['header_row', 'encoding'])).toMatchObject({
      headerRow: 1,
      encoding: 'utf-8',
      dateFormat: 'DD/MM/YYYY',
      reasons: expect.arrayContaining([expect.objectContaining({ reason: 'stated' })]),
    })
    const again = await change({}, ['date_format', 'delimiter', 'decimal_mark'])
    expect(again).toEqual(made.reading)
  })

  test('asks again for a decimal mark that is taken back', async () => {
    const home = await createHousehold(booted)
    const { bankAccountId, as } = home
    const asked = await steps.previewed(home, text('1,01/15/2026,X,,"1,400",,Posted\n'))
    const { transactionImportId, transactionImportMappingId } = asked
    const step = { bankAccountId, transactionImportId, status: 'pending-preview' }
    for (const [choices, status] of [
      [{ decimalMark: ',' }, 'preview'],
      [{}, 'failed'],
    ] as const) {
      const choicesMask = { paths: ['decimal_mark'] }
      const request = { ...step, transactionImportMappingId, choices, choicesMask }
      await steps.imports.updateImport(request, as)
      const ended = await steps.reached(home, transactionImportId, ['preview', 'failed'])
      expect(ended.status).toBe(status)
    }
  })

  test('asks for the meaning of a minus, and names it with its reason', async () => {
    const home = await createHousehold(booted)
    const { bankAccountId, as } = home
    const cells = ['1,,X,,01/15/2026,,5.00', '2,,X,,01/16/2026,,-3.00', '3,,X,,01/17/2026,9.00,']
    const columns = 'Id,Note,Text,Place,Day,Credit,Debit'
    const content = Buffer.from([columns, ...cells].join('\n'))
    const { transactionImportId } = await steps.createImport(home, content)
    const transactionImportMappingId = await steps.createMapping(home, {
      headers: columns.split(','),
      id: { kind: 'native', fields: [{ name: 'Id' }] },
      amount: { kind: 'column', fields: [{ name: 'Debit' }, { name: 'Credit' }] },
      memo: { name: 'Text' },
      merchant: undefined,
      date: { fields: [{ name: 'Day' }], format: 'MM/DD/YYYY' },
      posted: undefined,
      balance: { kind: 'none' },
    })
    const step = { bankAccountId, transactionImportId, status: 'pending-preview' }
    for (const choices of [{}, { minusReverses: true }, { minusReverses: false }]) {
      await steps.imports.updateImport({ ...step, transactionImportMappingId, choices }, as)
      const read = await steps.reached(home, transactionImportId, ['preview', 'failed'])
      const effects = read.preview?.rows.map(({ amount }) => amount)
      const { minusReverses } = choices as { minusReverses?: boolean }
      if (minusReverses === undefined) {
        expect(read.error).toMatch('Amounts of Debit like -3.00 are usual or go back')
      } else {
        expect(effects).toEqual([minusReverses ? 500n : -500n, minusReverses ? -300n : 300n, -900n])
        const reasons = expect.arrayContaining([
          expect.objectContaining({ choice: 'minusReverses', reason: 'stated' }),
        ])
        expect(read.reading).toMatchObject({ minusReverses, reasons })
      }
    }
  })

  test('asks for the decimal mark, and is repeated with it', async () => {
    const home = await createHousehold(booted)
    const { bankAccountId, as } = home
    const failed = await steps.previewed(home, text('1,01/15/2026,X,,"1,400",,Posted\n'))
    expect(failed).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('State decimalMark'),
    })
    const { transactionImportId, transactionImportMappingId } = failed
    const step = { bankAccountId, transactionImportId, status: 'pending-preview' }
    const choices = { decimalMark: '.' }
    await steps.imports.updateImport({ ...step, transactionImportMappingId, choices }, as)
    const read = await steps.reached(home, transactionImportId, ['preview', 'failed'])
    expect(read.preview?.rows[0]).toMatchObject({ effect: '1400.00 comes into the account' })
    expect(read.reading).toMatchObject({ decimalMark: '.' })
    await steps.imports.updateImport({ ...step, status: 'pending-processing' }, as)
    await steps.reached(home, transactionImportId, ['complete'])
    expect((await listed(home)).map(({ amount }) => amount)).toEqual([-140000n])
    await expect(
      steps.imports.updateImport({ ...step, status: '', choices }, as),
    ).rejects.toMatchObject({ code: Code.FailedPrecondition })
  })

  test.each([
    [{ dayFirst: true }, 'DD/MM/YYYY', 'dayFirst is stated', '2026-04-03'],
    [{ dayFirst: false }, 'MM/DD/YYYY', 'dayFirst is stated', '2026-03-04'],
    [{ dayFirst: true, dateFormat: 'MM/DD/YYYY' }, 'MM/DD/YYYY', 'stated', '2026-03-04'],
  ])('has the dates of %j, not of the mapping', async (choices, dateFormat, reason, day) => {
    const home = await createHousehold(booted)
    const { bankAccountId, as } = home
    const { transactionImportId } = await steps.createImport(home, text('1,03/04/2026,X,,1.40,,\n'))
    const format = dateFormat === 'DD/MM/YYYY' ? 'MM/DD/YYYY' : 'DD/MM/YYYY'
    const date = { fields: [{ name: 'Posting Date' }], format }
    const transactionImportMappingId = await steps.createMapping(home, { date })
    const step = { bankAccountId, transactionImportId, status: 'pending-preview', choices }
    await steps.imports.updateImport({ ...step, transactionImportMappingId }, as)
    const read = await steps.reached(home, transactionImportId, ['preview', 'failed'])
    expect(read.reading).toMatchObject({
      dateFormat,
      reasons: expect.arrayContaining([expect.objectContaining({ choice: 'dateFormat', reason })]),
    })
    const seconds = read.preview?.rows[0]?.date?.seconds
    expect(new Date(Number(seconds) * 1000).toISOString().slice(0, 10)).toBe(day)
  })
})

describe('a discarded import', () => {
  const unreadable = Buffer.from(`${headers.join(',')}\n"1`)

  test.each([
    ['mapping', () => steps.createImport],
    ['preview', () => steps.previewed],
    ['failed', () => (home: Household) => steps.previewed(home, unreadable)],
  ])('in status %s has expired, twice at once and repeated', async (status, begin) => {
    const home = await createHousehold(booted)
    const { bankAccountId, as, accountId } = home
    const made = await begin()(home)
    expect(made.status).toBe(status)
    const key = { bankAccountId, transactionImportId: made.transactionImportId }
    const stored = () => storedFiles(booted.dataDir, accountId)
    expect(await stored()).toHaveLength(1)
    const discard = () => steps.imports.deleteImport(key, as)
    expect(await refusals(discard(), discard())).toEqual(['accepted', 'accepted'])
    expect(await refusals(discard())).toEqual(['accepted'])
    expect(await stored()).toEqual([])
    const { imports } = await steps.imports.listImports({ bankAccountId, limit: 1 }, as)
    expect(imports).toMatchObject([{ status: 'expired', file: { deletedAt: expect.anything() } }])
    const stranger = await createHousehold(booted)
    expect(await refusals(steps.imports.deleteImport(key, stranger.as))).toEqual(['NotFound'])
  })

  test('is not processed, and a processed one is not discarded', async () => {
    const home = await createHousehold(booted)
    const { bankAccountId, as } = home
    const { transactionImportId } = await steps.previewed(home)
    const key = { bankAccountId, transactionImportId }
    const process = () => steps.imports.updateImport({ ...key, status: 'pending-processing' }, as)
    const discard = () => steps.imports.deleteImport(key, as)
    const outcomes = await refusals(process(), discard())
    expect(outcomes.toSorted()).toEqual(['FailedPrecondition', 'accepted'])
    const end = outcomes[0] === 'accepted' ? 'complete' : 'expired'
    await steps.reached(home, transactionImportId, [end])
    expect(await listed(home)).toHaveLength(end === 'complete' ? 4 : 0)
  })

  test.each(['pending-preview', 'complete'])('is refused in status %s', async (status) => {
    const home = await createHousehold(booted)
    const { bankAccountId, as } = home
    const { transactionImportId } = await steps.processed(home)
    if (status === 'pending-preview') {
      await booted.database('ledger').pool.query(sql.unsafe`
        UPDATE transaction_imports SET status = ${status}, transaction_upload_id = NULL
        WHERE transaction_import_id = ${transactionImportId}`)
      await booted.database('ledger').pool.query(sql.unsafe`
        UPDATE files SET deleted_at = NULL WHERE account_id = ${home.accountId}`)
    }
    const refusal = steps.imports.deleteImport({ bankAccountId, transactionImportId }, as)
    await expect(refusal).rejects.toMatchObject({
      code: Code.FailedPrecondition,
      rawMessage: expect.stringMatching(new RegExp(`^the transaction import is ${status};`)),
    })
  })
})
