import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type ListedRows, soleOf } from '../../../../test/imports/sound-statement.ts'
import { detectKind } from '../file-kind.ts'
import { noBalances } from '../statement.ts'
import { readCamtAccounts } from './camt.ts'

const VIENNA = { currency: 'USD', timezone: 'Europe/Vienna' }

function statement(bytes: Uint8Array): ListedRows {
  const result = soleOf(readCamtAccounts(bytes, VIENNA))
  if ('unreadable' in result) throw new Error(result.unreadable)
  return result
}

function file(name: string): ListedRows {
  return statement(readFileSync(new URL(`../../../../../../test/data/${name}`, import.meta.url)))
}

function written(content: string): Uint8Array {
  return new TextEncoder().encode(`<Document><BkToCstmrStmt>${content}</BkToCstmrStmt></Document>`)
}

/** Returns a CAMT.053 file with one statement in EUR that has these entries. */
function entries(...all: string[]): Uint8Array {
  const list = all.map((one) => `<Ntry>${one}</Ntry>`).join('')
  return written(`<Stmt><Acct><Id><IBAN>X</IBAN></Id><Ccy>EUR</Ccy></Acct>${list}</Stmt>`)
}

const amount = '<Amt Ccy="EUR">5.00</Amt>'
const out = '<CdtDbtInd>DBIT</CdtDbtInd>'
const day = '<BookgDt><Dt>2026-01-20</Dt></BookgDt>'
const reference = (text: string) => `<AcctSvcrRef>${text}</AcctSvcrRef>`

test('documents in the envelope of a business message are read', () => {
  const one = new TextDecoder().decode(entries(amount + out + day))
  const envelope = `<BizMsg><AppHdr/><Body>${one}${one.replace('5.00', '6.00')}</Body></BizMsg>`
  const read = statement(new TextEncoder().encode(envelope))
  expect(read.rows.map((row) => row.amount)).toEqual([500n, 600n])
})

describe('a statement of version 2', () => {
  const read = file('camt-053-v2.xml')

  test('states its currency and its closing balances, for the end of the day', () => {
    expect(read).toMatchObject({
      currency: 'EUR',
      balances: {
        current: 306450n,
        available: 300000n,
        limit: null,
        asOf: new Date('2026-01-31T22:59:59Z'),
        availableAsOf: new Date('2026-01-31T22:59:59Z'),
      },
    })
  })

  test('has a row for each payment, including those booked as one sum', () => {
    const shown = read.rows.map((row) => [
      row.uploadIdentifier,
      row.amount,
      row.date.toISOString(),
      row.name,
      row.originalName,
    ])
    expect(shown).toEqual([
      ['B-100', 1250n, '2026-01-14T23:00:00.000Z', 'Bäckerei Müller & Söhne', 'Semmeln und Brot'],
      ['B-101', -250000n, '2026-01-15T23:00:00.000Z', 'Nordfeld GmbH', 'RF18539007547034'],
      ['B-102', -4000n, '2026-01-16T23:00:00.000Z', 'Stadtwerke', 'Rücklastschrift'],
      ['B-103/1', 40000n, '2026-01-17T23:00:00.000Z', 'Hausverwaltung', 'Miete Jänner'],
      ['B-103/2', 7000n, '2026-01-17T23:00:00.000Z', 'Turnverein', 'Turnverein'],
      ['B-103/3', -2000n, '2026-01-17T23:00:00.000Z', 'Turnverein', 'Turnverein'],
      ['B-104', 2100n, '2026-01-18T23:00:00.000Z', 'Kartenzahlung', 'Kartenzahlung'],
    ])
  })

  test('skips entries that are not booked yet', () => {
    expect(read.skipped).toMatchObject([{ identifier: 'B-105', reason: 'pending' }])
  })
})

describe('statements of version 8 with a namespace prefix', () => {
  const read = file('camt-053-v8.xml')

  test('are one account, with the latest balance, overdrawn', () => {
    expect(read).toMatchObject({
      currency: 'CHF',
      balances: { current: -1500n, available: null, asOf: new Date('2026-01-20T17:00:00Z') },
    })
  })

  test('keep entries with repeated numbers, and repeat their identifiers when read again', () => {
    expect(read.rows.map((row) => [row.name, row.amount])).toEqual([
      ['Café Zähringer', 500n],
      ['Transaction', 500n],
      ['Transaction', 500n],
    ])
    const identifiers = read.rows.map((row) => row.uploadIdentifier)
    expect(new Set(identifiers).size).toBe(3)
    expect(file('camt-053-v8.xml').rows.map((row) => row.uploadIdentifier)).toEqual(identifiers)
    expect(read.skipped).toMatchObject([{ identifier: '', reason: 'pending' }])
  })
})

describe('entries', () => {
  test.each([
    ['amount', `<Amt Ccy="EUR">5,0,0</Amt>${out}${day}`],
    ['amount', `<Amt Ccy="EUR">1,400</Amt>${out}${day}`],
    ['amount', `<Amt Ccy="EUR">-5.00</Amt>${out}${day}`],
    ['amount', `<Amt Ccy="EUR">5.005</Amt>${out}${day}`],
    ['amount', `<Amt Ccy="EUR">99999999999999999.00</Amt>${out}${day}`],
    ['amount', `${out}${day}`],
    ['amount', `<Amt>$12,50</Amt>${out}${day}`],
    ['zero', `<Amt Ccy="EUR">0.00</Amt>${out}${day}`],
    ['currency', `<Amt Ccy="USD">5.00</Amt>${out}${day}`],
    ['direction', `${amount}${day}`],
    ['direction', `${amount}<CdtDbtInd>MAYBE</CdtDbtInd>${day}`],
    ['date', `${amount}${out}`],
    ['date', `${amount}${out}<BookgDt><Dt>2026-02-30</Dt></BookgDt>`],
    ['date', `${amount}${out}<BookgDt><Dt>20.01.2026</Dt></BookgDt>`],
  ])('without %s: %s', (reason, entry) => {
    const read = statement(entries(`${entry}${reference('R')}`, `${amount}${out}${day}`))
    expect(read.skipped).toMatchObject([{ identifier: 'R', reason }])
    expect(read.rows).toHaveLength(1)
  })

  test('without a booking date have their value date', () => {
    const [row] = statement(entries(`${amount}${out}<ValDt><Dt>2026-01-20+01:00</Dt></ValDt>`)).rows
    expect(row?.date).toEqual(new Date('2026-01-19T23:00:00Z'))
  })

  test('with one reference are one row if their content is equal, else two', () => {
    const fee = `<Amt Ccy="EUR">0.30</Amt>${out}${day}${reference('R')}`
    const payment = `${amount}${out}${day}${reference('R')}`
    const read = statement(entries(payment, fee, payment))
    expect(read.rows.map((row) => row.amount)).toEqual([500n, 30n])
    expect(read.skipped).toMatchObject([{ identifier: 'R', reason: 'duplicate' }])
  })

  test.each(['NOTPROVIDED', 'NONREF', 'Not Provided'])(
    'with the reference %s have none',
    (text) => {
      const entry = `${amount}${out}${day}${reference(text)}`
      expect(statement(entries(entry, entry)).rows).toHaveLength(2)
    },
  )
})

describe('an unreadable file', () => {
  const account = (id: string, currency = 'EUR') =>
    `<Stmt><Acct><Id><IBAN>${id}</IBAN></Id><Ccy>${currency}</Ccy></Acct></Stmt>`
  test.each([
    [written(''), 'The file holds no statement of a bank account (CAMT.052, 053 or 054)'],
    [written(account('A', 'ZZZ')), 'The file is not in one currency that this server knows'],
    [written('<Stmt>'), 'The file is not well-formed XML'],
    [new Uint8Array(), 'The file is not well-formed XML'],
    [
      new TextEncoder().encode('<!DOCTYPE a [<!ENTITY b "c">]><Document>&b;</Document>'),
      'The file declares a document type, which statements do not have',
    ],
    [
      new TextEncoder().encode('<OFX></OFX>'),
      'The file holds no statement of a bank account (CAMT.052, 053 or 054)',
    ],
  ])('%# has a reason', (bytes, unreadable) => {
    expect(soleOf(readCamtAccounts(bytes, VIENNA))).toEqual({ unreadable })
  })
})

test('amounts with groups or a decimal comma are read if they are clear', () => {
  const texts = ['2,345.00', '2.345,00', '12,50', '7']
  const all = texts.map((text) => `<Amt Ccy="EUR">${text}</Amt>${out}${day}`)
  const read = statement(entries(...all)).rows.map((row) => row.amount)
  expect(read).toEqual([234500n, 234500n, 1250n, 700n])
})

/** Returns a file of a version: from 8 on, status and names are one level deeper. */
function ofVersion(version: number, kind: '052' | '053' | '054'): Uint8Array {
  const [message, part] = {
    '052': ['BkToCstmrAcctRpt', 'Rpt'],
    '053': ['BkToCstmrStmt', 'Stmt'],
    '054': ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'],
  }[kind]
  const nested = version >= 8
  const status = nested ? '<Sts><Cd>BOOK</Cd></Sts>' : '<Sts>BOOK</Sts>'
  const party = (role: string, name: string) =>
    `<${role}>${nested ? `<Pty><Nm>${name}</Nm></Pty>` : `<Nm>${name}</Nm>`}</${role}>`
  const parties =
    party('Dbtr', 'Ada') + party('Cdtr', 'Pay Service') + party('UltmtCdtr', 'Bookshop')
  const details = `<NtryDtls><TxDtls><RltdPties>${parties}</RltdPties></TxDtls></NtryDtls>`
  const entry = `<Ntry>${amount}${out}${status}${day}${reference('R-1')}${details}</Ntry>`
  const report = `<Acct><Id><IBAN>X</IBAN></Id><Ccy>EUR</Ccy></Acct>${entry}`
  const number = `${version}`.padStart(2, '0')
  const namespace = `urn:iso:std:iso:20022:tech:xsd:camt.${kind}.001.${number}`
  const body = `<${message}><${part}>${report}</${part}></${message}>`
  return new TextEncoder().encode(`<Document xmlns="${namespace}">${body}</Document>`)
}

describe.each(['052', '053', '054'] as const)('CAMT.%s', (kind) => {
  test.each([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13])('of version %i is read', (version) => {
    const bytes = ofVersion(version, kind)
    expect(detectKind({ name: '', head: bytes })).toBe('camt053')
    const { rows, balances, currency } = statement(bytes)
    expect(rows.map((row) => [row.uploadIdentifier, row.amount, row.name])).toEqual([
      ['R-1', 500n, 'Bookshop'],
    ])
    expect([currency, balances]).toEqual(['EUR', noBalances])
  })
})

test.each([
  ['CRDT', '<Dbtr><Nm>A</Nm></Dbtr><UltmtDbtr><Nm>B</Nm></UltmtDbtr>', 'B'],
  ['CRDT', '<Dbtr><Nm>A</Nm></Dbtr><UltmtCdtr><Nm>B</Nm></UltmtCdtr>', 'A'],
  ['DBIT', '<Cdtr><Agt><FinInstnId><Nm>A</Nm></FinInstnId></Agt></Cdtr>', 'A'],
])('the name of a %s with %s is %s', (direction, parties, name) => {
  const details = `<NtryDtls><TxDtls><RltdPties>${parties}</RltdPties></TxDtls></NtryDtls>`
  const entry = `${amount}<CdtDbtInd>${direction}</CdtDbtInd>${day}${details}`
  expect(statement(entries(entry)).rows.map((row) => row.name)).toEqual([name])
})

test('notifications without a reference of the bank are skipped', () => {
  const notified = (...all: string[]) => {
    const text = new TextDecoder().decode(entries(...all))
    const renamed = text.replaceAll('BkToCstmrStmt', 'BkToCstmrDbtCdtNtfctn')
    return new TextEncoder().encode(renamed.replaceAll('Stmt>', 'Ntfctn>'))
  }
  const read = statement(
    notified(`${amount}${out}${day}`, `${amount}${out}${day}${reference('R')}`),
  )
  expect(read.rows.map((row) => row.uploadIdentifier)).toEqual(['R'])
  expect(read.skipped).toMatchObject([{ identifier: '', reason: 'identifier' }])
  expect(soleOf(readCamtAccounts(notified(`${amount}${out}${day}`), VIENNA))).toEqual({
    unreadable: 'The notifications have no references: upload the statement (CAMT.053)',
  })
})

test('a file without a currency has the currency of the account', () => {
  const bytes = written('<Stmt><Acct><Id><IBAN>A</IBAN></Id></Acct></Stmt>')
  expect(soleOf(readCamtAccounts(bytes, VIENNA))).toMatchObject({
    currency: 'USD',
    rows: [],
    skipped: [],
  })
})

test('the rows of batch entries add up to the entries', () => {
  const cents = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 8 })
  const text = (value: number) => (value / 100).toFixed(2)
  const property = fc.property(fc.array(cents, { maxLength: 8 }), (batches) => {
    const list = batches.map((parts) => {
      const sum = parts.reduce((total, part) => total + part, 0)
      const details = parts.map((part) => `<TxDtls><Amt Ccy="EUR">${text(part)}</Amt></TxDtls>`)
      return `<Amt Ccy="EUR">${text(sum)}</Amt>${out}${day}<NtryDtls>${details.join('')}</NtryDtls>`
    })
    const { rows } = statement(entries(...list))
    expect(rows.map((row) => Number(row.amount))).toEqual(batches.flat())
    expect(new Set(rows.map((row) => row.uploadIdentifier)).size).toBe(rows.length)
  })
  fc.assert(property)
})

test('the choices of the file name its encoding', () => {
  const { choices } = statement(entries(`${amount}${out}${day}`))
  expect(choices).toEqual([
    { choice: 'encoding', value: 'utf-8', reason: 'the text is valid UTF-8' },
  ])
})

test('a file has at most 100,000 transactions, counting those within entries', () => {
  const details = `<NtryDtls>${'<TxDtls/>'.repeat(50_000)}</NtryDtls>`
  const entry = `${amount}${out}${day}`
  expect(statement(entries(entry + details, entry + details)).rows).toHaveLength(2)
  expect(
    soleOf(readCamtAccounts(entries(entry + details, entry + details, entry), VIENNA)),
  ).toEqual({
    unreadable: 'The file has more than 100000 transactions',
  })
})
