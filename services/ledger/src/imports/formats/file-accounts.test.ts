import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { readStatementFile } from './statement-file.ts'

type Kind = 'ofx' | 'qif' | 'mt940' | 'camt053'

const fixture = (name: string) =>
  readFileSync(new URL(`../../../../../test/data/${name}`, import.meta.url), 'utf8')
const camt = (...accounts: [iban: string, currency: string][]) => {
  const statements = accounts.map(
    ([iban, currency]) =>
      `<Stmt><Acct><Id><IBAN>${iban}</IBAN></Id><Ccy>${currency}</Ccy></Acct><Bal><Tp><CdOrPrtry>` +
      `<Cd>CLBD</Cd></CdOrPrtry></Tp><Amt>9.00</Amt></Bal></Stmt>`,
  )
  return `<D><BkToCstmrStmt>${statements.join('')}</BkToCstmrStmt></D>`
}
const mt = (account: string, currency: string) =>
  `:20:S\n:25:${account}\n:60F:C260101${currency}1,00\n:61:260120D1,00NMSC\n`

test.each<[Kind, string, string[]]>([
  [
    'ofx',
    fixture('several-accounts.ofx'),
    ['091000000 1001 checking USD 1 100000', '091000000 2002 checking USD 1 100000'],
  ],
  [
    'qif',
    '!Type:Bank\nD31/1/24\nT1\n^\n!Type:CCard\nD31/1/24\nT2\n^\nD31/1/24\nT2\n^',
    ['bank bank USD 1 ', 'ccard ccard USD 2 '],
  ],
  ['mt940', mt('A', 'EUR') + mt('A', 'CHF'), ['A EUR  EUR 1 ', 'A CHF  CHF 1 ']],
  ['mt940', mt('A', 'EUR') + mt('B', 'EUR'), ['A  EUR 1 ', 'B  EUR 1 ']],
  ['camt053', camt(['A', 'EUR'], ['B', 'EUR']), ['A  EUR 0 900', 'B  EUR 0 900']],
])('%s lists the accounts of a file, and reads the stated one', (kind, text, expected) => {
  const read = (statement?: string) =>
    readStatementFile({
      bytes: new TextEncoder().encode(text),
      settings: { currency: 'USD', timezone: 'UTC', stated: { statement } },
      format: { kind },
    })
  const asked = read()
  const statements = 'unreadable' in asked ? (asked.statements ?? []) : []
  const shown = statements.map(({ statement, kind: of, currency, rowCount, balance }) =>
    [statement, of, currency, rowCount, balance].join(' '),
  )
  expect([shown, asked]).toMatchObject([expected, { asks: 'statement' }])
  for (const { statement, rowCount, currency } of statements) {
    expect(read(statement)).toMatchObject({ currency, rows: { length: rowCount } })
  }
  expect(read('other')).toMatchObject({ asks: 'statement', statements })
})
