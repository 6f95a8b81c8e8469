import fc from 'fast-check'
import { zipSync } from 'fflate'
import { ods, xlsx } from './workbooks.ts'

/** Values that are usual in one field of a file: most generated ones are, the others are odd. */
function usually(...usual: string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  )
}

const odd = [
  '',
  ' ',
  '\0',
  '\u2028',
  '\uD800',
  '٣',
  '<',
  '&amp;',
  ']]>',
  '?20',
  '=1+1',
  '1e9',
  '-0',
  '9'.repeat(40),
  'x'.repeat(3000),
  '(1,00)',
  '260230',
  '2026-02-30',
  '1048576',
]

/** An MT940 that is read whole. */
const booked = ':20:S\n:25:1\n:60F:C260101USD1,00\n:61:260120D1,00NMSC\n:62F:C260120USD1,00\n'

const amount = usually('5.00', '0.01', '1200', '0', '-5.00', '5,00', '1.234')
const day = usually('2026-01-20', '2026-12-31', '1999-01-01', '20260120')
const text = usually(
  'Shop',
  'Rent of a flat',
  'Bäckerei &amp; Co',
  '/NAME/Ada/REMI/Bill',
  '166?20SVWZ+A',
)

function element(name: string, content: fc.Arbitrary<string>, rarity = 8): fc.Arbitrary<string> {
  const some = fc.tuple(content, fc.noBias(fc.nat(rarity))).map(([written, dice]) => {
    if (dice === 0) return ''
    return dice === 1 ? `<${name}>${written}${written}</${name}>` : `<${name}>${written}</${name}>`
  })
  return some
}

function elements(...all: fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.tuple(...all).map((parts) => parts.join(''))
}

function repeated(one: fc.Arbitrary<string>, maxLength: number, mark = ''): fc.Arbitrary<string> {
  return fc.array(one, { maxLength }).map((all) => all.join(mark))
}

const party = elements(element('Nm', text), element('Pty', element('Nm', text)))
const roles = ['Dbtr', 'Cdtr', 'UltmtDbtr', 'UltmtCdtr'].map((role) => element(role, party, 3))
const transaction = element(
  'TxDtls',
  elements(
    element('Amt', amount),
    element('RltdPties', elements(...roles)),
    element('RmtInf', repeated(element('Ustrd', text), 2)),
  ),
)
const entry = element(
  'Ntry',
  elements(
    element('Amt', amount),
    element('CdtDbtInd', usually('DBIT', 'CRDT')),
    element('Sts', fc.oneof(usually('BOOK', 'PDNG'), element('Cd', usually('BOOK')))),
    element('BookgDt', element('Dt', day)),
    element('AcctSvcrRef', usually('R-1', 'R-2', 'NOTPROVIDED')),
    element('NtryDtls', repeated(transaction, 3)),
  ),
)
const balance = element(
  'Bal',
  elements(
    element('Tp', element('CdOrPrtry', element('Cd', usually('CLBD', 'CLAV', 'ITBD')))),
    element('Amt', amount),
    element('CdtDbtInd', usually('DBIT', 'CRDT')),
    element('Dt', fc.oneof(element('Dt', day), element('DtTm', usually('2026-01-20T10:00:00Z')))),
  ),
)

function message(name: string, part: string): fc.Arbitrary<string> {
  const account = element('Acct', element('Id', element('IBAN', usually('X'))), 50)
  return element(name, element(part, elements(account, balance, repeated(entry, 6)), 50), 50)
}

/** Returns the files as bytes. */
function encoded(files: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array> {
  return files.map((written) => new TextEncoder().encode(written))
}

const camtTexts = element(
  'Document',
  fc.oneof(
    message('BkToCstmrStmt', 'Stmt'),
    message('BkToCstmrAcctRpt', 'Rpt'),
    message('BkToCstmrDbtCdtNtfctn', 'Ntfctn'),
  ),
  50,
)

function field(tag: string, ...values: fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return elements(fc.constant(`:${tag}:`), ...values)
}

const mtBalance = elements(
  usually('C', 'D'),
  usually('260131', '991231'),
  usually('USD'),
  usually('100,00', '0,'),
)
const mtEntry = elements(
  field(
    '61',
    usually('2601310131', '260131', '2601021231'),
    usually('C', 'D', 'RC', 'RD', 'CR', 'ED'),
    usually('10,00', '1,', '0,5'),
    usually('NMSC', 'N051', 'NOV '),
    usually('NONREF', 'REF//B1', 'NONREF\r\nMore'),
  ),
  fc.constant('\r\n'),
  field('86', repeated(fc.oneof(text, usually('?32Ada', '?33Byron', '\r\n')), 4)),
)

/** CAMT files of the three messages. */
export const camtFiles = encoded(camtTexts)

const mtTexts = repeated(
  elements(
    field('20', usually('START\r\n')),
    field('25', fc.constant('1/2\r\n')),
    fc.oneof(field('60F', mtBalance), field('34F', usually('USD0,'))),
    fc.constant('\r\n'),
    repeated(mtEntry, 5, '\r\n'),
    fc.constant('\r\n'),
    fc.oneof(field('62F', mtBalance), field('62M', mtBalance), fc.constant('')),
    usually('\r\n-\r\n', '@@-\r\n', '\r\n'),
  ),
  3,
)

/** MT940 and MT942 files of one or more messages. */
export const mtFiles = encoded(mtTexts)

/** ZIP archives of CAMT and MT940 files, some with other files. */
export const zipFiles = fc
  .array(
    fc.tuple(
      fc.constantFrom('a.xml', 'b.xml', 'c.sta', 'x/d.sta', 'e.bin', '__MACOSX/f'),
      fc.oneof(camtFiles, mtFiles, { weight: 6, arbitrary: encoded(fc.constant(booked)) }),
    ),
    { maxLength: 3 },
  )
  .map((files) => zipSync(Object.fromEntries(files)))

const written = (values: fc.Arbitrary<unknown>, ...others: unknown[]) =>
  fc.oneof(
    { weight: 400, arbitrary: values },
    { weight: 1, arbitrary: fc.constantFrom(null, undefined, {}, 1e300, ...others, ...odd) },
  )
const exportedRow = fc.record({
  bankAccountId: fc.constantFrom('A', 'A', 'A', 'B'),
  transactionId: fc.constantFrom('1', '2', '3', '\u0007'),
  uploadIdentifier: fc.constantFrom(null, '', 'U', 'x'.repeat(500)),
  amount: written(fc.integer(), 1.5, 2 ** 53),
  date: written(fc.constantFrom('2026-01-20T06:00:00Z', '9999-01-01T00:00:00Z'), '2026-01-20'),
  name: fc.option(text),
  originalName: text,
  merchantName: fc.option(text),
  originalMerchantName: text,
  isPending: fc.constantFrom(false, false, false, true),
  deletedAt: fc.constantFrom(null, null, '2026-01-20T06:00:00Z'),
})
const exportedAccount = fc.record({
  bankAccountId: fc.constantFrom('A', 'A', 'A', 'B'),
  name: text,
  currency: written(fc.constantFrom('USD', 'EUR')),
  currentBalance: written(fc.integer()),
  availableBalance: written(fc.integer()),
  limitBalance: fc.constant(0),
  deletedAt: fc.constant(null),
})

/** Exports of this program with one or two bank accounts. */
export const exportFiles = fc
  .record({
    accounts: fc.oneof(
      { weight: 4, arbitrary: fc.tuple(exportedAccount) },
      { weight: 1, arbitrary: fc.tuple(exportedAccount, exportedAccount) },
    ),
    transactions: fc.array(exportedRow, { minLength: 1, maxLength: 6 }),
    timezone: usually('America/Chicago', 'Asia/Kathmandu'),
    complete: written(fc.constant(true)),
  })
  .map(({ accounts, transactions, timezone, complete }) => {
    const services = { ledger: { bankAccounts: accounts, transactions } }
    const me = { user: { account: { timezone } } }
    const exportedAt = '2026-02-01T12:00:00Z'
    return new TextEncoder().encode(
      JSON.stringify({ format: 1, exportedAt, me, services, complete }),
    )
  })

const cell = fc.oneof(
  elements(fc.constant('<c t="s"><v>'), usually('0', '1'), fc.constant('</v></c>')),
  elements(fc.constant('<c t="inlineStr"><is><t>'), text, fc.constant('</t></is></c>')),
  elements(fc.constant('<c s="1"><v>'), usually('46027', '0.5', '-1'), fc.constant('</v></c>')),
  elements(fc.constant('<c><f>1+1</f><v>'), amount, fc.constant('</v></c>')),
  elements(fc.constant('<c r="'), usually('B2', 'ZZ1', 'A0'), fc.constant('"><v>1</v></c>')),
)
const sheetRow = elements(
  fc.constant('<row r="'),
  usually('', '1', '3', '60', '-7'),
  fc.constant('">'),
  repeated(cell, 6),
  fc.constant('</row>'),
)

/** XLSX files of up to three sheets. */
export const xlsxFiles = fc
  .record({
    sheets: fc.array(repeated(sheetRow, 5), { maxLength: 3 }),
    hidden: fc.nat(5),
    is1904: fc.boolean(),
  })
  .map(({ sheets, ...look }) => xlsx(sheets, look))

const attribute = (name: string, ...values: string[]) =>
  fc.oneof(
    fc.constant(''),
    usually(...values).map((value) => ` ${name}="${value.replaceAll('<', '')}"`),
  )
const odsCell = elements(
  fc.constant('<table:table-cell'),
  attribute('office:value-type', 'float', 'date', 'string'),
  attribute('office:value', '1.5', '-3'),
  attribute('office:date-value', '2026-01-05', '2026-01-05T10:00:00'),
  attribute('table:number-columns-repeated', '2', '30', '-1'),
  fc.constant('><text:p>'),
  text,
  fc.constant('</text:p></table:table-cell>'),
)

/** OpenDocument spreadsheets with one sheet. */
export const odsFiles = repeated(
  elements(
    fc.constant('<table:table-row'),
    attribute('table:number-rows-repeated', '2', '30', '0'),
    fc.constant('>'),
    repeated(odsCell, 5),
    fc.constant('</table:table-row>'),
  ),
  5,
).map(ods)

/** HTML pages with tables, whose tags are not always closed, and tables within. */
export const htmlFiles = repeated(
  fc.oneof(
    usually(
      '<tr>',
      '<td>',
      '<th>',
      '</tr>',
      '</td>',
      '<table>',
      '</table>',
      '<br>',
      '<td colspan=9>',
    ),
    usually('<script>', '</script>', '<!-- ', ' -->', '<tbody>', '<p>', '&nbsp;', '&#8364;'),
    text,
    amount,
  ),
  60,
).map((written) => new TextEncoder().encode(`<html><table>${written}`))
