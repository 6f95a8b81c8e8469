import { readFileSync } from 'node:fs'
import { say } from '@coffer/kit/reasons/reasons'
import { describe, expect, test } from '@jest/globals'
import { type ListedRows, soleOf } from '../../../../test/imports/sound-statement.ts'
import { statementOf } from '../../../../test/imports/uploading.ts'
import type { ReadingSettings } from '../statement.ts'
import { readOfxAccounts } from './ofx.ts'

const CHICAGO = { currency: 'USD', timezone: 'America/Chicago' }
/** 15 January 2026, 00:00 in Chicago (UTC−6). */
const JANUARY_15 = new Date('2026-01-15T06:00:00Z')

function read(name: string, settings: ReadingSettings = CHICAGO) {
  const path = new URL(`../../../../../../test/data/${name}`, import.meta.url)
  return soleOf(readOfxAccounts(readFileSync(path), settings))
}

function statement(name: string, settings: ReadingSettings = CHICAGO): ListedRows {
  const result = read(name, settings)
  if ('unreadable' in result) throw new Error(result.unreadable)
  return result
}

function names(name: string, settings = CHICAGO) {
  return statement(name, settings).rows.map((row) => [row.name, row.originalName])
}

describe('a bank export in OFX 1', () => {
  const file = statement('checking.qfx')

  test('is read completely, newest first', () => {
    expect(file).toMatchObject({ currency: 'USD', skipped: [] })
    expect(file.rows).toHaveLength(316)
    expect(file.rows[0]).toMatchObject({
      uploadIdentifier: '202611160441700001',
      amount: 2122n,
      date: new Date('2026-11-16T06:00:00Z'),
      name: 'WALGREENS #5817',
      originalName: 'POS DEBIT 4417 WALGREENS #5817 MINNEAPOLIS MN',
      originalMerchantName: 'WALGREENS #5817',
      isPending: false,
    })
  })

  test('has a ledger balance that is the opening balance plus the rows', () => {
    // By test/data/README.md: current is 2861.14 plus the rows, available is 64.37 below current.
    const moved = file.rows.reduce((sum, row) => sum - row.amount, 286114n)
    expect(file.balances).toEqual({
      current: moved,
      available: moved - 6437n,
      limit: null,
      asOf: new Date('2026-11-17T00:30:12Z'),
      availableAsOf: new Date('2026-11-17T00:30:12Z'),
    })
  })

  test('has salaries as negative amounts, in winter and summer time', () => {
    const salaries = file.rows.filter((row) => row.name === 'NORTHFIELD TOOLS INC')
    expect(salaries.map((row) => row.amount)).toEqual(Array(12).fill(-248753n))
    expect(salaries.map((row) => row.date.toISOString().slice(5, 16))).toEqual([
      '11-13T06:00',
      '10-30T05:00',
      '10-15T05:00',
      '09-30T05:00',
      '09-15T05:00',
      '08-31T05:00',
      '08-14T05:00',
      '07-31T05:00',
      '07-15T05:00',
      '06-30T05:00',
      '06-15T05:00',
      '05-29T05:00',
    ])
  })

  test('names checks by their number and decodes accents and ampersands', () => {
    const shown = new Set(file.rows.map((row) => row.name))
    expect(shown).toContain('Check 1042')
    expect(shown).toContain('CAFÉ ÉLAN')
    expect(shown).toContain('SANDWICH & CO')
  })
})

describe('OFX 2', () => {
  const vienna = { currency: 'USD', timezone: 'Europe/Vienna' }

  test('is read as XML: empty elements, character data, decimal commas, payees', () => {
    expect(statement('ofx-2.ofx', vienna)).toMatchObject({
      mark: { mark: '.', reason: '2500.00 has the decimal mark .' },
      currency: 'EUR',
      balances: {
        current: 310010n,
        available: 300000n,
        limit: null,
        asOf: new Date('2026-01-31T22:59:59Z'),
        availableAsOf: new Date('2026-01-31T22:59:59Z'),
      },
      rows: [
        {
          uploadIdentifier: 'E-1',
          amount: 12345n,
          date: new Date('2026-01-14T23:00:00Z'),
          name: 'Bäckerei Müller & Söhne',
          originalName: 'Bäckerei Müller & Söhne',
          originalMerchantName: 'Bäckerei Müller & Söhne',
          isPending: false,
        },
        {
          uploadIdentifier: 'E-2',
          amount: -250000n,
          date: new Date('2026-01-15T23:00:00Z'),
          name: 'Gehalt <Januar> & Zulage',
          originalName: 'Gehalt <Januar> & Zulage',
          originalMerchantName: 'Gehalt <Januar> & Zulage',
          isPending: false,
        },
        {
          uploadIdentifier: 'E-3',
          amount: 990n,
          date: new Date('2026-01-16T23:00:00Z'),
          name: 'Café Central',
          originalName: 'Café Central',
          originalMerchantName: 'Café Central',
          isPending: false,
        },
      ],
      skipped: [],
    })
  })

  test('in UTF-16 is read by its byte order mark, in a currency without decimals', () => {
    expect(statement('utf-16.ofx')).toMatchObject({
      currency: 'JPY',
      balances: { current: 50000n, available: null },
      rows: [{ amount: 1200n, name: '喫茶店', date: JANUARY_15 }],
    })
  })
})

describe('balances', () => {
  test.each([
    ['1.2.3,4', '1.2.3,4'],
    ['n/a', 'n/a'],
    ['100000000000000000.00', '100000000000000000.00'],
    ['600.00', undefined],
    ['', undefined],
  ])('%j is told if it is no amount', (ledger, unread) => {
    const bytes = new TextEncoder().encode(statementOf({ 1: '-1.00' }, { ledger }))
    const read = soleOf(readOfxAccounts(bytes, CHICAGO))
    const note = unread && say('BALANCE_UNREADABLE', { text: unread })
    expect('balances' in read && read.balances.note).toBe(note)
  })

  test('of a day that is no date are told, and hold for the end of the statement', () => {
    const dated = statementOf({ 1: '-1.00' }, { ledger: '600.00' })
    const text = dated.replace(/<DTASOF>\d{8}/, '<DTASOF>31.01.26')
    expect(text).not.toBe(dated)
    const read = soleOf(readOfxAccounts(new TextEncoder().encode(text), CHICAGO))
    expect('balances' in read && read.balances).toMatchObject({
      current: 60000n,
      note: say('BALANCE_UNDATED', { text: '31.01.26' }),
    })
  })

  test('of a card: a negative debt, the unused credit, and their difference as the limit', () => {
    // `LEDGERBAL` is −250.00 and `AVAILBAL` 750.00, as in docs/file-formats.md#ofx-qfx-qbo.
    const card = statement('card.qfx')
    expect(card).toMatchObject({
      balances: { current: -25000n, available: 75000n, limit: 100000n },
    })
    // Rows of every `TRNTYPE` have the inverse sign: a payment to the card is negative.
    expect(card.rows.map((row) => row.amount)).toEqual([-20000n, 1000n, -1550n])
  })

  test('that a file does not state are null, not 0', () => {
    const unknown = { current: null, available: null, limit: null }
    expect(statement('no-balances.ofx').balances).toMatchObject(unknown)
    expect(statement('blank-balance.ofx').balances).toMatchObject({
      current: null,
      available: 95000n,
    })
  })

  test('of several statements of one account are the latest', () => {
    const file = statement('several-statements.ofx')
    expect(file.balances).toMatchObject({ current: 90000n, available: 88000n })
    expect(file.rows.map((row) => row.uploadIdentifier)).toEqual(['A-2', 'A-1'])
  })
})

describe('difficult text', () => {
  test.each([
    ['empty-tags.ofx', ['Check 1042', 'Check 1042'], ['KIOSK', 'KIOSK']],
    ['bare-ampersand.ofx', ['SANDWICH & CO', 'A&B; C&D 1 < 2']],
    ['windows-1252.ofx', ['CAFÉ ÉLAN', 'Café ’Élan’ €10']],
    ['utf-8-declared-1252.ofx', ['CAFÉ ÉLAN', 'CAFÉ ÉLAN']],
  ])('%s', (file, ...expected) => {
    expect(names(file)).toEqual(expected)
  })
})

describe('rows', () => {
  test('with one identifier and other contents are both kept', () => {
    const file = statement('duplicate-ids.ofx')
    expect(file.rows.map((row) => row.name)).toEqual(['LUNCH', 'BUS', 'OTHER LUNCH'])
    expect(file.skipped).toEqual([])
  })

  test('with equal content and two identifiers are both kept', () => {
    const file = statement('equal-rows.ofx')
    expect(file.rows.map((row) => row.uploadIdentifier)).toEqual(['A-1', 'A-2'])
    expect(file.rows.map((row) => row.amount)).toEqual([575n, 575n])
  })

  test('without identifiers get the same ones again, also in a new timezone', () => {
    const identifiers = (settings: ReadingSettings = CHICAGO) =>
      statement('no-ids.ofx', settings).rows.map((row) => row.uploadIdentifier)
    const moved = { currency: 'USD', timezone: 'Asia/Tokyo', identifierTimezone: CHICAGO.timezone }
    expect(identifiers(moved)).toEqual(identifiers())
    expect(new Set(identifiers()).size).toBe(3)
    expect(identifiers()).toEqual(identifiers())
  })

  test('that are unreadable are skipped with a reason', () => {
    const file = statement('bad-rows.ofx')
    expect(file.rows.map((row) => row.uploadIdentifier)).toEqual(['GOOD', 'B-1'])
    expect(file.skipped).toMatchObject([
      { identifier: 'B-2', reason: 'amount' },
      { identifier: 'B-3', reason: 'amount' },
      { identifier: 'B-4', reason: 'amount' },
      { identifier: 'B-5', reason: 'amount' },
      { identifier: 'B-6', reason: 'date' },
      { identifier: 'B-7', reason: 'date' },
      { identifier: 'B-8', reason: 'zero' },
      { identifier: 'B-9', reason: 'currency' },
      { identifier: 'B-10', reason: 'correction' },
    ])
  })
})

describe('an unreadable file', () => {
  test.each([
    ['truncated.ofx', 'The file ends before its statement does'],
    ['document-type.ofx', 'The file declares a document type, which statements do not have'],
    ['no-statement.ofx', expect.stringContaining('of a securities account (investments)')],
    ['README.md', expect.stringContaining('This is not an OFX, QFX or QBO file: upload')],
  ])('%s has a reason', (file, unreadable) => {
    expect(read(file)).toEqual({ unreadable })
  })

  test('without a statement has another reason', () => {
    const file = new TextEncoder().encode('<OFX><SIGNONMSGSRSV1></SIGNONMSGSRSV1></OFX>')
    const unreadable = 'The file holds no statement of a bank account or a credit card'
    expect(soleOf(readOfxAccounts(file, CHICAGO))).toEqual({ unreadable })
  })

  test.each(['', 'Date,Amount\n2026-01-15,12.00\n', '\0\0\0\0', '<html></html>', '<OFX', '<<<>>>'])(
    '%j is not an OFX file',
    (text) => {
      expect(soleOf(readOfxAccounts(new TextEncoder().encode(text), CHICAGO))).toHaveProperty(
        'unreadable',
      )
    },
  )

  test('with an unknown currency is refused; without one it has the account’s', () => {
    const file = (currency: string) =>
      new TextEncoder().encode(
        `<OFX><STMTRS>${currency}<BANKTRANLIST></BANKTRANLIST></STMTRS></OFX>`,
      )
    expect(soleOf(readOfxAccounts(file('<CURDEF>ZZZ'), CHICAGO))).toHaveProperty('unreadable')
    expect(soleOf(readOfxAccounts(file('<CURDEF>cad'), CHICAGO))).toMatchObject({
      currency: 'CAD',
      rows: [],
    })
    expect(soleOf(readOfxAccounts(file(''), CHICAGO))).toMatchObject({ currency: 'USD', rows: [] })
  })
})

test('a file has at most 100,000 transactions', () => {
  const file = (count: number) => {
    const rows = '<STMTTRN><TRNAMT>-1<DTPOSTED>20260110</STMTTRN>'.repeat(count)
    return new TextEncoder().encode(`<OFX><STMTRS>${rows}</STMTRS></OFX>`)
  }
  expect(soleOf(readOfxAccounts(file(100_000), CHICAGO))).toHaveProperty('rows.length', 100_000)
  expect(soleOf(readOfxAccounts(file(100_001), CHICAGO))).toEqual({
    unreadable: 'The file has more than 100000 transactions',
  })
})
