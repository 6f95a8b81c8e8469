import { expect, test } from '@jest/globals'
import { listRows } from '../../../test/imports/sound-statement.ts'
import { statementOf } from '../../../test/imports/uploading.ts'
import { addSkipped, countSkipped, sumSkipped } from './skipped-rows.ts'
import { readStatementFile, readStatements } from './statement-file.ts'

type Kind = 'ofx' | 'qif' | 'mt940' | 'camt053'

const settings = { currency: 'USD', timezone: 'America/Chicago' }

function asOf(file: string, kind: 'ofx' | 'qif' = 'ofx') {
  const bytes = new TextEncoder().encode(file)
  const statement = readStatementFile({ bytes, settings, format: { kind } })
  return 'unreadable' in statement ? statement : (statement.balances.asOf?.toISOString() ?? null)
}

// The only row of each file is dated 10 January 2026 (docs/files.md#balances).
test.each([
  ['its own date', { ledger: '1.00', asOf: '20260105' }, '2026-01-06T05:59:59.000Z'],
  ['the day of its newest row', { ledger: '1.00', asOf: null }, '2026-01-11T05:59:59.000Z'],
])('the balance of a file holds for the end of %s', (_name, balances, instant) => {
  expect(asOf(statementOf({ a: '-1.00' }, balances))).toBe(instant)
})

const camt = (amount: string) =>
  `<Ntry>\n<Amt Ccy="USD">${amount}</Amt><CdtDbtInd>DBIT</CdtDbtInd><BookgDt><Dt>2026-01-20</Dt>` +
  '</BookgDt></Ntry>'
const camtFile = `\n<D>\n<BkToCstmrStmt><Stmt><Acct><Id><IBAN>1</IBAN></Id></Acct>
${camt('1.00')}
${camt('x')}</Stmt></BkToCstmrStmt></D>`
const mt =
  ':20:S\n:25:1\n:60F:C260101USD1,00\n:61:260120D1,00NMSC\n:61:260120D,,NMSC\n:86:Shop\n' +
  ':62F:C260120USD1,\n'

// One row is read and one is not; without the first, the file is refused.
test.each<[Kind, string, [string, string], string]>([
  ['ofx', statementOf({ a: '1', b: 'x' }), ['20260110<TRNAMT>1', ''], '2 <STMTTRN><TRNTYPE>POS<DT'],
  [
    'qif',
    '!Type:Bank\nD31/1/26\nT1\n^\n\nD31/1/26\nTx\nPShop\n',
    ['T1', 'Tx'],
    '6 D31/1/26 Tx PShop',
  ],
  ['mt940', mt, ['D1,00NMSC', 'D,,NMSC'], '5 260120D,,NMSC Shop'],
  ['camt053', camtFile, ['1.00', 'y'], '6 x DBIT 2026-01-20'],
])('%s tells line and text of a row that it skips', (kind, file, [good, bad], place) => {
  const read = (text: string) => {
    const bytes = new TextEncoder().encode(text)
    return listRows(readStatementFile({ bytes, settings, format: { kind } }))
  }
  const found = read(file)
  const [skipped] = 'unreadable' in found ? [] : found.skipped
  expect(found).toMatchObject({ rows: [expect.anything()], skipped: [{ reason: 'amount' }] })
  expect(`${skipped?.line} ${skipped?.text}`).toMatch(place)
  expect(read(file.replace(good, bad))).toMatchObject({
    unreadable: expect.stringMatching(
      /^No row of the file can be read: 2 of 2 without .*line \d+: ./,
    ),
    skipped: [{ reason: 'amount', count: 2, rows: { length: 2 } }],
  })
})

test('skipped rows are counted in parts as all at once', () => {
  const reasons = ['zero', 'correction', 'zero', 'date'] as const
  const rows = Array.from({ length: 30 }, (_, at) => {
    return { identifier: '', reason: reasons[at % 4] ?? 'zero', line: at, text: `row ${at}` }
  })
  for (const end of [0, 7, 12, 30]) {
    const counted = addSkipped(countSkipped(rows.slice(0, end)), rows.slice(end))
    expect(counted).toEqual(countSkipped(rows))
    expect(sumSkipped(counted)).toBe(30)
  }
})

test('accounts that share a pass over their file are read as each alone', () => {
  const accounts = ['1', '2', '3'].map((number) => mt.replace(':25:1', `:25:${number}`))
  const bytes = new TextEncoder().encode(accounts.join('-\n').replace('260101USD', '260101CAD'))
  const wanted = ['2', '1', '3', '4'].map((statement) => {
    const own = { currency: statement === '1' ? 'CAD' : 'USD', timezone: 'UTC' }
    return {
      ...own,
      bankAccount: { bankAccountId: `bac_${statement}`, name: '' },
      stated: { statement },
    }
  })
  const read = readStatements({ bytes, kind: 'mt940', settings: wanted }).map(listRows)
  const alone = wanted.map((one) =>
    listRows(readStatementFile({ bytes, settings: one, format: { kind: 'mt940' } })),
  )
  expect(read).toEqual(alone)
  expect(read).toMatchObject([
    { currency: 'USD' },
    { currency: 'CAD' },
    {},
    { asks: 'statement', statements: [{}, {}, {}] },
  ])
})

test('a file without a balance, or without a row, has no instant', () => {
  expect(asOf(statementOf({ a: '-1.00' }))).toBeNull()
  expect(asOf(statementOf({}, { ledger: '1.00', asOf: null }))).toBeNull()
  expect(asOf('!Type:Bank\nD1/1/26\nT-1.00\nPShop\n^\n', 'qif')).toBeNull()
})
