import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { camtFiles, mtFiles } from '../../../test/imports/generated-files.ts'
import { expectSound } from '../../../test/imports/sound-statement.ts'
import type { FileKind } from './file-kind.ts'
import { readStatementFile } from './statement-file.ts'

const settings = { currency: 'USD', timezone: 'America/Chicago' }

// Files of the structure of their kind, with odd values: 500 of each, 10,000 in `test:long`.
test.each<[Exclude<FileKind, 'csv'>, fc.Arbitrary<string>]>([
  ['camt053', camtFiles],
  ['mt940', mtFiles],
])('any file of the structure of %s gives storable rows or is refused', (kind, files) => {
  let rows = 0
  const property = fc.property(files, (text) => {
    const bytes = new TextEncoder().encode(text)
    const read = () => readStatementFile({ bytes, settings, format: { kind } })
    const statement = read()
    expectSound(statement)
    expect(read()).toEqual(statement)
    rows += 'unreadable' in statement ? 0 : statement.rows.length
  })
  fc.assert(property, { numRuns: 500 })
  // Most files reach the code that reads rows.
  expect(rows).toBeGreaterThan(100)
})
