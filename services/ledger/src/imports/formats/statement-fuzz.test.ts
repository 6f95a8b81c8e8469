import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { headers, mapping } from '../../../test/imports/importing.ts'
import { expectSound } from '../../../test/imports/sound-statement.ts'
import { CsvMapping } from './csv/csv-mapping.ts'
import { detectShape } from './csv/csv-shape.ts'
import { type ReadingFormat, readStatementFile } from './statement-file.ts'

const formats: ReadingFormat[] = [
  { kind: 'ofx' },
  { kind: 'camt053' },
  { kind: 'mt940' },
  { kind: 'qif' },
  {
    kind: 'csv',
    delimiter: ',',
    headerRow: null,
    headers,
    mapping: CsvMapping.parse({ ...mapping, headers }),
  },
]

const folder = new URL('../../../../../test/data/', import.meta.url)
const files = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name !== 'checking.qfx')
  .map(({ name }) => readFileSync(new URL(name, folder)))

/** Tokens of the file formats, and texts that often break parsers. */
const words = [
  ...'<OFX> </OFX> <STMTRS> <STMTTRN> </STMTTRN> <TRNAMT> <DTPOSTED> <FITID>'.split(' '),
  ...'<Document> <BkToCstmrStmt> <Stmt> <Ntry> </Ntry> </Amt> </ <!-- --> <![CDATA[ ]]>'.split(' '),
  '<Amt Ccy="EUR">',
  '<!DOCTYPE a [<!ENTITY b "c">]>',
  '<?xml version="1.0"?>',
  ...'&b; &amp; &lt; &#0; &#x10FFFF; &#xD800; < > " \0 \r\n \n \r \u2028 \t'.split(' '),
  ...':20: :25:1 :28C:1 :60F:C260101USD1,00 :61:2601010101D1,00NMSC :86:166?20A?32B -}'.split(' '),
  ...'!Type:Bank !Account ^ D1/1/26 T-1,00 N PPayee 20260115 -1.00 1e9 (1.00)'.split(' '),
  ...`9007199254740992.00 ٣ 1,234.56 1'000.00 , ; "a""b"`.split(' '),
]

const bytes = fc.uint8Array({ maxLength: 3000 })
const text = fc
  .array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'binary', maxLength: 8 })), {
    maxLength: 200,
  })
  .map((parts) => new TextEncoder().encode(parts.join('')))
const edit = fc.record({
  at: fc.nat(),
  removed: fc.oneof(fc.nat(3), fc.nat(500)),
  added: fc.oneof(
    fc.constantFrom(...words).map((word) => new TextEncoder().encode(word)),
    bytes,
  ),
})
const mutated = fc
  .tuple(fc.constantFrom(...files), fc.array(edit, { maxLength: 4 }))
  .map(([file, edits]) => edits.reduce<Uint8Array>(edited, file))

function edited(file: Uint8Array, { at, removed, added }: { at: number } & Edit): Uint8Array {
  const start = at % (file.length + 1)
  return Buffer.concat([file.subarray(0, start), added, file.subarray(start + removed)])
}
type Edit = { removed: number; added: Uint8Array }

const settings = { currency: 'USD', timezone: 'America/Chicago' }

describe.each(formats)('any bytes read as $kind give storable rows or are refused', (format) => {
  const inputs = { bytes, text, 'a file with mistakes': mutated }
  test.each(Object.entries(inputs))('%s', (_name, input) => {
    fc.assert(
      fc.property(input as fc.Arbitrary<Uint8Array>, (file) => {
        expectSound(readStatementFile({ bytes: file, settings, format }))
      }),
      { numRuns: 100 },
    )
  })

  // At this number of characters, a parser of quadratic time would exceed the timeout of the test.
  const length = 200_000
  const tags = ['<a', '&#', '<!--', '<a ', '<a>'].map((tag) => `<OFX>${tag}`)
  const endless = [...tags, '<Document a', '!Type:Bank\nT1,']
  test.each([...endless, '!', '"', '\n', '\r ', '<', '&', '(', ','])(
    '%j repeated up to the largest size',
    (begin) => {
      const last = begin.at(-1) ?? ''
      const file = new TextEncoder().encode(begin + last.repeat(length))
      expectSound(readStatementFile({ bytes: file, settings, format }))
    },
  )

  const parts = ['<a>', '<a ', '</a>', '&amp;', '<![CDATA[', '^\n', '""', '"a', '1,', '\0<']
  test.each([...parts, '<Stmt/>'])('many repetitions of %j', (part) => {
    const file = new TextEncoder().encode(`<OFX>${part.repeat(length / part.length)}`)
    expectSound(readStatementFile({ bytes: file, settings, format }))
  })
})

test('every CSV file has a shape or is refused', () => {
  fc.assert(
    fc.property(fc.oneof(bytes, text, mutated), (file) => {
      const shape = detectShape(file)
      if ('unreadable' in shape) return
      expect(shape.headers.length).toBeGreaterThanOrEqual(2)
      expect(new Set(shape.headers).size).toBe(shape.headers.length)
    }),
    { numRuns: 100 },
  )
})
