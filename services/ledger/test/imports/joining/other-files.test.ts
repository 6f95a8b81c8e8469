import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { ledger } from '../../../src/service.ts'
import { auditing } from '../../auditing.ts'
import { listed } from '../../outcomes.ts'
import { partsOf } from '../file-parts.ts'
import { importing } from '../importing.ts'
import { importFile, statementOf } from '../uploading.ts'
import { xlsx } from '../workbooks.ts'

const booted = auditing(booting([ledger]))
let steps: ReturnType<typeof importing>

beforeAll(() => {
  steps = importing(booted)
})

type Joins = { uploadIdentifier: string; transactionId: string }[]

const column = (name: string) => ({ fields: [{ name }] })
const byHash = {
  headers: ['Date', 'Text', 'Amount'],
  id: { kind: 'hashed', fields: [{ name: 'Date' }, { name: 'Text' }, { name: 'Amount' }] },
  amount: { kind: 'sign', invert: true, ...column('Amount') },
  memo: { name: 'Text' },
  merchant: { name: 'Text' },
  date: { ...column('Date'), format: 'YYYY-MM-DD' },
  posted: undefined,
  balance: { kind: 'none', fields: [] },
}
const withBalance = {
  ...byHash,
  headers: [...byHash.headers, 'Balance'],
  id: { kind: 'hashed', fields: [...byHash.id.fields, { name: 'Balance' }] },
}
const dayFirst = { ...byHash, date: { ...column('Date'), format: 'DD.MM.YYYY' } }
const byValueDay = {
  ...byHash,
  headers: ['Value', 'Text', 'Amount'],
  id: { kind: 'hashed', fields: [{ name: 'Value' }, { name: 'Text' }, { name: 'Amount' }] },
  date: { ...column('Value'), format: 'YYYY-MM-DD' },
}

const columns = 'Date,Value,Text,Amount,Balance\n'
const csv = `${columns}2026-01-05,2026-01-06,Grocer Main,-12.50,87.50
2026-01-16,2026-01-17,Salary Acme,20.25,107.75
`
const german = `Date;Text;Amount
05.01.2026;Grocer Main;-12,50
16.01.2026;Salary Acme;20,25
`
const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
const row = (day: number, name: string, amount: number) =>
  `<row><c s="1"><v>${day}</v></c>${text(name)}<c><v>${amount}</v></c></row>`
const head = `<row>${byHash.headers.map(text).join('')}</row>`
const workbook = xlsx([head + row(46027, 'Grocer Main', -12.5) + row(46038, 'Salary Acme', 20.25)])

/** Previews a CSV file or a sheet by a mapping. */
async function previewed(home: Household, content: string | Uint8Array, mapping: object) {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const { transactionImportId } = await steps.createImport(home, bytes)
  const transactionImportMappingId = await steps.createMapping(home, mapping)
  const step = { transactionImportMappingId, status: 'pending-preview' }
  await steps.imports.updateImport(
    { bankAccountId: home.bankAccountId, transactionImportId, ...step },
    home.as,
  )
  const { preview } = await steps.reached(home, transactionImportId, ['preview', 'failed'])
  const { newCount, joinOfferCount, joinOffers } = preview!
  const joins: Joins = joinOffers.map(({ uploadIdentifier, transactionId }) => {
    return { uploadIdentifier, transactionId }
  })
  return { transactionImportId, counts: [newCount, joinOfferCount].map(Number), joins }
}

/** Stores the rows of a file, and joins those that are named. */
async function store(home: Household, transactionImportId: string, joins: Joins = []) {
  const { bankAccountId, as } = home
  const step = { bankAccountId, transactionImportId, status: 'pending-processing', joins }
  await steps.imports.updateImport(step, as)
  return steps.reached(home, transactionImportId, ['complete', 'failed'])
}

async function stored(home: Household, content: string | Uint8Array, mapping: object) {
  const { transactionImportId } = await previewed(home, content, mapping)
  return store(home, transactionImportId)
}

/** Previews a file of another format. */
async function offered(home: Household, name: string, content: string) {
  const { uploads, bankAccountId, as } = home
  const bytes = new TextEncoder().encode(content)
  const part = { bankAccountId, name, content: bytes, preview: true }
  const { upload } = await uploads.createUpload(partsOf(part), as)
  return [upload!.preview!.newCount, upload!.preview!.joinOfferCount].map(Number)
}

describe('rows that an earlier file of the same format has stored', () => {
  test.each<[string, string | Uint8Array, object, number[]]>([
    ['by a mapping with another identifier', csv, withBalance, [2, 2]],
    ['by a mapping with another day', csv, byValueDay, [2, 2]],
    ['with days and amounts written otherwise', german, dayFirst, [2, 2]],
    // The other number is written as in the CSV file, so its row is known.
    ['in a sheet, by the same mapping', workbook, byHash, [1, 1]],
  ])('are offered %s', async (_how, content, mapping, counts) => {
    const home = await createHousehold(booted)
    await stored(home, csv, byHash)
    const found = await previewed(home, content, mapping)
    expect(found.counts).toEqual(counts)
    const joinedCount = BigInt(counts[1]!)
    expect(await store(home, found.transactionImportId, found.joins)).toMatchObject({
      importedCount: 0n,
      joinedCount,
      joins: found.joins.map(() => ({ result: 'joined' })),
    })
    expect(await listed(home)).toHaveLength(2)
    // Both files are known from then on.
    expect((await previewed(home, content, mapping)).counts).toEqual([0, 0])
    expect((await previewed(home, csv, byHash)).counts).toEqual([0, 0])
  })

  test.each([
    ['the same file again', csv, [0, 0]],
    ['a second equal row', `${csv}2026-01-16,2026-01-17,Salary Acme,20.25,128.00\n`, [1, 0]],
    ['the days behind it', `${columns}2026-01-17,2026-01-17,Salary Acme,20.25,128.00\n`, [1, 0]],
  ])('are not offered for %s by the same mapping', async (_name, content, counts) => {
    const home = await createHousehold(booted)
    await stored(home, csv, byHash)
    expect((await previewed(home, content, byHash)).counts).toEqual(counts)
  })

  test('are joined unless another row of the file is the transaction', async () => {
    const home = await createHousehold(booted)
    await stored(home, csv, byHash)
    const next = csv.replace(
      'Balance\n',
      'Balance\n2026-01-06,2026-01-06,Grocer Main,-12.50,75.00\n',
    )
    const { transactionImportId, counts } = await previewed(home, next, byHash)
    expect(counts).toEqual([1, 0])
    const [, grocer] = (await listed(home)).map(({ transactionId }) => transactionId)
    const { uploadIdentifier } = await firstNew(home, transactionImportId)
    const joins = [{ uploadIdentifier, transactionId: grocer! }]
    expect(await store(home, transactionImportId, joins)).toMatchObject({
      importedCount: 1n,
      joins: [{ result: 'taken' }],
    })
  })

  test('are offered in an OFX file with other identifiers', async () => {
    const home = await createHousehold(booted)
    await importFile(home, statementOf({ a: '-10.00', b: '-20.00' }))
    const again = statementOf({ x: '-10.00', b: '-20.00', y: '-30.00' })
    expect(await offered(home, 'export.ofx', again)).toEqual([2, 1])
  })
})

test.each([
  ['export.ofx', statementOf({ x: '-12.50' }).replace('ROW x', 'GROCER MAIN ST'), [1, 0]],
  [
    'export.ofx',
    statementOf({ x: '-12.50' }).replace('20260110', '20260105').replace('ROW x', 'GROCER'),
    [1, 1],
  ],
  [
    'export.sta',
    ':20:S\n:25:1\n:60F:C260101USD100,00\n:61:260106D12,50NMSC\n:86:GROCER MAIN\n' +
      ':62F:C260116USD87,50\n',
    [1, 1],
  ],
])('rows of a CSV file are offered in %s', async (name, content, counts) => {
  const home = await createHousehold(booted)
  await stored(home, csv, byHash)
  expect(await offered(home, name, content)).toEqual(counts)
})

async function firstNew(home: Household, transactionImportId: string) {
  const key = { bankAccountId: home.bankAccountId, transactionImportId }
  const { import: found } = await steps.imports.getImport(key, home.as)
  return found!.preview!.rows.find(({ duplicate }) => !duplicate)!
}
