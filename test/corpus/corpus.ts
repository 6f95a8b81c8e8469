// npm run corpus -- DIR: reads the files of `data/files.tsv` in a folder, and compares rows, sums
// and days with those of a second reader (README.md).
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { detectShape } from '@coffer/ledger/imports/formats/csv/csv-shape'
import type { FileRow, Statable, Unreadable } from '@coffer/ledger/imports/formats/statement'
import {
  type ReadingFormat,
  readStatementFile,
} from '@coffer/ledger/imports/formats/statement-file'

/** A file of the list; `expected` has its rows, sum in minor units, first and last day. */
type Listed = {
  kind: 'csv' | 'ofx' | 'qif' | 'camt053' | 'mt940'
  address: string
  hash: string
  currency: string
  expected: string
  how: string
  mark: '.' | ','
}

const hashLength = 16

/** Reads the list: one file a line. */
function parseList(text: string): Listed[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [kind, address = '', hash = '', currency = '', rows, sum, first, last, ...more] =
        line.split('\t')
      const [how = '', mark = '.'] = more
      const expected = [rows, sum, first, last].join(' ')
      return { kind, address, hash, currency, expected, how, mark } as Listed
    })
}

/** Returns the bytes of all files below a folder by the beginning of their SHA-256. */
async function collect(folder: string): Promise<Map<string, Uint8Array>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const found = await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name))),
  )
  return new Map(
    found.map((bytes) => {
      const hash = createHash('sha256').update(bytes).digest('hex')
      return [hash.slice(0, hashLength), bytes] as const
    }),
  )
}

/** Returns the format of a CSV file by the columns that a person names (README.md). */
function csvFormat(bytes: Uint8Array, how: string): ReadingFormat | Unreadable {
  const shape = detectShape(bytes)
  if ('unreadable' in shape) return shape
  const pattern = /^(\d+)(?:\/(\d+))? ([spct])([\d,]+)(?:=([^/]*)\/(\S*))? (.*)$/
  const [, date = '', text = '1', kind = '', columns = '', debit, credit, format = ''] =
    pattern.exec(how) ?? []
  const ref = (column: string) => ({ name: shape.headers[Number(column) - 1] ?? 'no such column' })
  const kinds = { s: 'sign', p: 'sign', c: 'column', t: 'type' } as const
  const amount = {
    kind: kinds[kind as keyof typeof kinds],
    invert: kind === 's',
    fields: columns.split(',').map(ref),
    ...(debit === undefined ? {} : { debit: debit.replaceAll('_', ' ') }),
    ...(credit === undefined ? {} : { credit: credit.replaceAll('_', ' ') }),
  }
  const mapping = {
    headers: shape.headers,
    id: { kind: 'hashed' as const, fields: shape.headers.map((name) => ({ name })) },
    amount,
    memo: ref(text),
    date: { fields: [ref(date)], format },
    balance: { kind: 'none' as const, fields: [] },
  }
  return { kind: 'csv', ...shape, mapping }
}

function readListed({ kind, currency, how }: Listed, bytes: Uint8Array, stated: Statable) {
  const format = kind === 'csv' ? csvFormat(bytes, how) : { kind }
  if ('unreadable' in format) return format
  const settings = { currency: currency === '-' ? 'USD' : currency, timezone: 'UTC', stated }
  return readStatementFile({ bytes, settings, format })
}

/** Reads a file, and of one with several accounts each; returns the first fault, if any. */
function readAccounts(file: Listed, bytes: Uint8Array, stated: Statable) {
  const first = readListed(file, bytes, stated)
  if (!('unreadable' in first) || first.asks !== 'statement') return first
  const all = (first.statements ?? []).map(({ statement }) =>
    readListed(file, bytes, { ...stated, statement }),
  )
  const fault = all.find((one) => 'unreadable' in one)
  return fault ?? { rows: all.flatMap((one) => ('rows' in one ? [...one.rows] : [])) }
}

function shown(read: { rows: Iterable<FileRow> }): string {
  const rows = [...read.rows]
  const days = rows.map(({ date }) => date.toISOString().slice(0, 10)).sort()
  const sum = -rows.reduce((total, { amount }) => total + amount, 0n)
  return [rows.length, sum, days[0] ?? '-', days.at(-1) ?? '-'].join(' ')
}

/** Returns `right`, `wrong`, or how the file was refused, and what was read. */
function judge(file: Listed, bytes: Uint8Array): { verdict: string; found: string } {
  const first = readAccounts(file, bytes, {})
  // Where a choice is asked for, the file is read by the one that a person would state.
  const answer = { decimalMark: file.mark, dayFirst: !file.how.startsWith('month first') }
  const asksSigns = 'unreadable' in first && first.unreadable.includes('state minusReverses')
  const isAsked = asksSigns || ('unreadable' in first && first.asks !== undefined)
  const read = isAsked
    ? readAccounts(file, bytes, asksSigns ? { minusReverses: true } : answer)
    : first
  if ('unreadable' in read) {
    // A file with rows of which none can be read is refused, too.
    const isUnread = read.skipped !== undefined && file.expected.startsWith('0 ')
    const isExpected = isUnread || file.expected.startsWith('refused ')
    return { verdict: isExpected ? 'rightly refused' : 'refused', found: read.unreadable }
  }
  const found = shown(read)
  if (found !== file.expected) return { verdict: 'wrong', found }
  return { verdict: isAsked ? 'asked, then right' : 'right', found }
}

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error('Usage: npm run corpus -- DIR, a folder with files of test/corpus/data/files.tsv')
  process.exit(2)
}
const list = parseList(await readFile(new URL('./data/files.tsv', import.meta.url), 'utf8'))
const held = await collect(folder)
const counts: Record<string, Record<string, number>> = {}
for (const file of list) {
  const bytes = held.get(file.hash)
  const { verdict, found } = bytes ? judge(file, bytes) : { verdict: 'not there', found: '' }
  const of = counts[file.kind] ?? {}
  counts[file.kind] = { ...of, [verdict]: (of[verdict] ?? 0) + 1 }
  if (verdict === 'wrong' || verdict === 'refused') {
    console.log(`${verdict}: ${file.address}\n  expected ${file.expected}, found ${found}`)
  }
}
console.table(counts)
