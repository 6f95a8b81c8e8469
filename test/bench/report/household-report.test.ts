import { expect, test } from '@jest/globals'
import { exampleRun } from '../example-run.ts'
import { withHouseholdFigures } from './household-report.ts'
import type { Results } from './results.ts'

const cores = { coffer: 1, postgres: 0.5, nats: 0.1, temporal: 0.2, busy: 2, self: 0.3 }
const steps = {
  '10 GET /users/me': { mean: 9, p99: 30 },
  '9 GET /links': { mean: 7.25, p99: 20 },
}
const results: Results = {
  started: '2026-11-21T10:00:00.000Z',
  node: 'v24.21.0',
  cpus: 2,
  cpuModel: 'Some CPU',
  yardstick: null,
  settings: { SECS: 5, TXNS: 200, SPENDING: 10 },
  memory: { idle: null, end: null },
  runs: [
    exampleRun({ name: 'balances_spread', rps: 4000, p99: 8 }),
    exampleRun({ name: 'mixed', conc: 1, rps: 250, p99: 6, steps: {} }),
    exampleRun({ name: 'mixed', rps: 1000, p99: 40, cores, steps, errors: 2 }),
  ],
}
const reference = {
  mixed: { rps: [900, 1100], server: [0.75, 1], postgres: [0.58, 0.76] },
} satisfies Parameters<typeof withHouseholdFigures>[2]

const page = 'Words.\n<!-- household figures -->\nold\n<!-- end of household figures -->\nMore.'
const renewed = withHouseholdFigures(page, results, reference)
const lines = renewed.split('\n')

test('the visit is the first row, with the processor time of each process', () => {
  const rows = lines.filter((line) => /^\| (A visit|GET balances)/.test(line))
  expect(rows).toEqual([
    '| A visit: 14 reads and writes | 250 | 1,000 | 900 to 1,100 | 1.0× | 40 | ' +
      '1 + 0.5 + 0.1 + 0.2 | 1.80 | 0.75 to 1 + 0.58 to 0.76 | 2 |',
    '| GET balances | – | 4,000 | – | – | 8 | – | – | – | 0 |',
  ])
})

test('the steps of the visit follow in their order', () => {
  expect(lines.filter((line) => /^\| GET \//.test(line))).toEqual([
    '| GET /links | – | – | 7.3 | 20 |',
    '| GET /users/me | – | – | 9 | 30 |',
  ])
})

test('the text around the figures is kept', () => {
  expect(renewed.startsWith('Words.\n<!-- household figures -->\n\n|')).toBe(true)
  expect(renewed.endsWith('\n<!-- end of household figures -->\nMore.')).toBe(true)
  expect(withHouseholdFigures(renewed, results, reference)).toBe(renewed)
})
