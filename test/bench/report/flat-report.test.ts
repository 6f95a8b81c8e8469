import { expect, test } from '@jest/globals'
import { type FlatFigure, flatTable, withFlatFigures } from './flat-report.ts'

const figure = (work: string, transactions: number, ms: number): FlatFigure => ({
  work,
  transactions,
  households: 10,
  medianMs: ms,
  p99Ms: 4 * ms,
  postgresMs: ms / 10,
  stolen: 0,
})
const figures = [
  figure('GET balances', 10_000, 2),
  figure('POST transaction', 10_000, 5),
  figure('GET balances', 10_000_000, 2.2),
  figure('POST transaction', 10_000_000, 6.5),
]

test('figures of the same work are compared with the first one', () => {
  expect(flatTable(figures).slice(2, 6)).toEqual([
    '| GET balances | 10,000 | 10 | 2.00 |  | 8.00 |  | 0.20 |  |',
    '| GET balances | 10,000,000 | 10 | 2.20 | 1.10× | 8.80 | 1.10× | 0.22 | 1.10× |',
    '| POST transaction | 10,000 | 10 | 5.00 |  | 20.00 |  | 0.50 |  |',
    '| POST transaction | 10,000,000 | 10 | 6.50 | 1.30× | 26.00 | 1.30× | 0.65 | 1.30× |',
  ])
})

test('unknown processor time has no ratio, and stolen time marks a figure', () => {
  const [first, , later] = figures.map((one) => ({ ...one, postgresMs: null, stolen: 0.2 }))
  const table = flatTable(first && later ? [first, later] : [])
  expect(table[3]).toBe(
    '| GET balances | 10,000,000 | 10 | 2.20† | 1.10× | 8.80† | 1.10× | – | – |',
  )
  expect(table.at(-1)).toContain('†: more than 5 %')
})

test('table and conditions replace the text between their marks', () => {
  const page = 'Words.\n<!-- flat figures -->\nformer text\n<!-- end of flat figures -->\nMore.'
  const text = { table: flatTable(figures), conditions: ['Measured once.'] }
  const renewed = withFlatFigures(page, text)
  expect(renewed.split('\n')).toContain('- Measured once.')
  expect(renewed.startsWith('Words.\n<!-- flat figures -->\n\n| work |')).toBe(true)
  expect(renewed.endsWith('\n\n<!-- end of flat figures -->\nMore.')).toBe(true)
  expect(renewed).not.toContain('former text')
  expect(withFlatFigures(renewed, text)).toBe(renewed)
})
