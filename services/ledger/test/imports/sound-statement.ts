import { amountMax } from '@coffer/kit/values/money'
import { expect } from '@jest/globals'
import { readCsv } from '../../src/imports/formats/csv/csv.ts'
import type { CsvMapping } from '../../src/imports/formats/csv/csv-mapping.ts'
import { chooseAccount, type FileAccount } from '../../src/imports/formats/file-accounts.ts'
import type {
  FileRow,
  FileStatement,
  Statable,
  Unreadable,
} from '../../src/imports/formats/statement.ts'
import { rowsMax } from '../../src/imports/formats/statement-values.ts'

/** Expects that a file is refused with a reason in one line, or has rows that can be stored. */
export function expectSound(statement: FileStatement | Unreadable): void {
  if ('unreadable' in statement) {
    expect(statement.unreadable).toMatch(/^\S[^\n]{5,200}$/)
    return
  }
  const { balances } = statement
  const rows = [...statement.rows]
  expect(rows.length).toBeLessThanOrEqual(rowsMax)
  expect(new Set(rows.map((row) => row.uploadIdentifier)).size).toBe(rows.length)
  for (const { amount, date, uploadIdentifier, name, ...row } of rows) {
    expect(amount !== 0n && amount <= amountMax && amount >= -amountMax).toBe(true)
    expect(date.getTime()).not.toBeNaN()
    for (const written of [uploadIdentifier, name, row.originalName, row.originalMerchantName]) {
      // Postgres rejects malformed UTF-16, and lists cannot show control characters.
      expect(written.isWellFormed() && !/\p{Cc}/u.test(written)).toBe(true)
    }
    expect([1, 300]).toEqual([Math.min(name.length, 1), Math.max(name.length, 300)])
    expect(uploadIdentifier.length).toBeLessThanOrEqual(300)
  }
  for (const balance of [balances.current, balances.available, balances.limit]) {
    expect(balance === null || (balance <= amountMax && balance >= -amountMax)).toBe(true)
  }
}

/** A statement with its rows as an array. */
export type ListedRows = Omit<FileStatement, 'rows'> & { rows: FileRow[] }

/** Returns a statement with its rows as an array, or why it is unreadable. */
export function listRows(read: FileStatement | Unreadable): ListedRows | Unreadable {
  return 'unreadable' in read ? read : { ...read, rows: [...read.rows] }
}

/** Returns the statement of the only account of a file, or why it is unreadable. */
export function soleOf(accounts: FileAccount[] | Unreadable) {
  return 'unreadable' in accounts ? accounts : listRows(chooseAccount(accounts, undefined))
}

/** Reads lines with commas below the names of their columns, by a mapping of usual names. */
export function readBelow(
  headers: readonly string[],
  lines: readonly string[],
  of: { amount?: object; format?: string; stated?: Statable; balance?: object },
) {
  const { amount = {}, format = 'YYYY-MM-DD', stated = {}, ...others } = of
  const mapping = {
    id: { kind: 'native', fields: [{ name: 'Id' }] },
    amount: { kind: 'sign', invert: true, fields: [{ name: 'Amount' }], ...amount },
    memo: { name: 'Text' },
    merchant: { name: 'Text' },
    date: { fields: [{ name: 'Date' }], format },
    balance: { kind: 'none', fields: [] },
    ...others,
  }
  const bytes = new TextEncoder().encode([headers.join(','), ...lines].join('\n'))
  return listRows(
    readCsv(bytes, {
      currency: 'EUR',
      timezone: 'Europe/Vienna',
      delimiter: ',',
      headerRow: 1,
      headers,
      stated,
      mapping: { ...mapping, headers: [...headers] } as CsvMapping,
    }),
  )
}
