import { expect, test } from '@jest/globals'
import { exampleRun } from '../example-run.ts'
import { withFigures } from './report.ts'
import type { Results, Run } from './results.ts'

const results: Results = {
  started: '2026-11-21T10:00:00.000Z',
  node: 'v24.21.0',
  cpus: 2,
  cpuModel: 'Some CPU',
  settings: { SECS: 10, TXNS: 10_000, SPENDING: 50 },
  memory: { idle: { coffer: { rssMiB: 200.4 } }, end: { coffer: { rssMiB: 300.6 } } },
  runs: [
    exampleRun({ conc: 1, rps: 2000, p99: 1 }),
    exampleRun({
      conc: 16,
      rps: 6304,
      p99: 4.26,
      cores: { coffer: 1.45, postgres: 0.315, other: 0.2 },
    }),
    exampleRun({ conc: 64, rps: 6000, p99: 20 }),
    exampleRun({ name: 'transfer_pair', conc: 1, rps: 400, p99: 3 }),
    exampleRun({ name: 'transfer_pair', conc: 16, rps: 900, p99: 25 }),
  ],
  yardstick: { 1: 6510.5, 16: 40_717 },
}

const page = 'Words.\n<!-- figures -->\nold\n<!-- end of figures -->\nMore words.'

const reference = {
  links: { work: 'GET links', 1: 1000, 16: 3152, 64: 3000, p99: 13 },
  transfer_pair: { work: 'Pair', 1: 338, 16: 2, 64: null, p99: 17_054, note: 'deadlocks' },
}

/** Returns the lines of docs/benchmarks/benchmarks.md with the figures of these runs. */
function linesOf(runs: Run[]): string[] {
  return withFigures(page, { ...results, runs }, reference).split('\n')
}

test('our figure has the reference and the factor beside it', () => {
  const lines = linesOf(results.runs)
  expect(lines).toContain(
    '| GET links | 2,000 | 1,000 | 2.0× | 6,304 | 3,152 | 2.0× | ' +
      '6,000 | 3,000 | 2.0× | 4.3 | 13 | 0.23 + 0.05 |  |',
  )
  expect(lines).toContain(
    '| Pair | 400 | 338 | 1.2× | 900 | 2 | 450.0× | – | – | – | 25 | 17,054 | – | ' +
      'reference: deadlocks |',
  )
})

test('every row has as many cells as the head', () => {
  const table = linesOf(results.runs).filter((line) => line.startsWith('|'))
  const cells = table.map((line) => line.split('|').length)
  // Columns: work; rate, reference and ratio for each of three numbers of connections; two
  // latencies; processor time; notes.
  const columns = 1 + 3 * 3 + 2 + 1 + 1
  expect(new Set(cells)).toEqual(new Set([columns + 2]))
})

test('figures are of the undisturbed pass; errors are of all passes', () => {
  const check = { expected: 100, availableMoved: 93, allocatedMoved: 100 }
  const lines = linesOf([
    exampleRun({ rps: 500, p99: 90, stolen: 0.4, errors: 4, non2xx: 1, check }),
    exampleRun({ pass: 2, rps: 6304, p99: 5, stolen: 0.01 }),
    exampleRun({ pass: 3, rps: 600, p99: 80, stolen: 0.3, errors: 2 }),
  ])
  expect(lines).toContain(
    '| GET links | – | 1,000 | – | 6,304 | 3,152 | 2.0× | – | 3,000 | – | 5 | 13 | – | ' +
      '7 errors; ours loses 7 |',
  )
})

test('a figure that is disturbed in every pass is marked', () => {
  const lines = linesOf([
    exampleRun({ conc: 1, rps: 2000, stolen: 0.01 }),
    exampleRun({ rps: 6304, p99: 5, stolen: 0.12 }),
    exampleRun({ pass: 2, rps: 600, p99: 80, stolen: 0.3 }),
  ])
  expect(lines).toContain(
    '| GET links | 2,000 | 1,000 | 2.0× | 6,304† | 3,152 | 2.0× | – | 3,000 | – | 5† | 13 | – |  |',
  )
  expect(lines).toContainEqual(expect.stringContaining('1 % of the processor time in the median'))
  expect(lines).toContainEqual(expect.stringContaining('12 % at worst. †: more than 5 %'))
})

test('the text around the figures is kept, the old figures are replaced', () => {
  const renewed = withFigures(page, results, reference)
  expect(renewed.startsWith('Words.\n<!-- figures -->\n')).toBe(true)
  expect(renewed.endsWith('\n<!-- end of figures -->\nMore words.')).toBe(true)
  expect(renewed).not.toContain('old')
  expect(withFigures(renewed, results, reference)).toBe(renewed)
})

test('the conditions of the measurement are listed', () => {
  const renewed = withFigures(page, results, reference)
  expect(renewed).toContain('Measured on 2026-11-21')
  expect(renewed).toContain('2 CPUs (Some CPU), Node v24.21.0')
  const unwrapped = renewed.replaceAll('\n  ', ' ')
  expect(unwrapped).toContain('6,511/s one after the other and 40,717/s at c=16')
  expect(unwrapped).toContain('which is 50 % and 100 % of')
  expect(unwrapped).toContain('coffer 200 MiB idle, coffer 301 MiB after the load')
  const prose = renewed.split('\n').filter((line) => !line.startsWith('|'))
  expect(prose.filter((line) => line.length > 120)).toEqual([])
})

test('a missing yardstick has no text', () => {
  expect(withFigures(page, { ...results, yardstick: null }, reference)).not.toContain('Yardstick')
})

test.each([
  ['one pass of 10 s', [1]],
  ['3 passes of 10 s each. The table shows one pass', [1, 2, 3]],
])('the number of passes is stated: %s', (text, passes) => {
  const runs = passes.flatMap((pass) => results.runs.map((run) => ({ ...run, pass })))
  expect(withFigures(page, { ...results, runs }, reference)).toContain(text)
})

test('work that was measured again gives a range of passes', () => {
  const lines = linesOf([...results.runs, exampleRun({}), exampleRun({})])
  expect(lines).toContainEqual(expect.stringContaining('1 to 3 passes of 10 s'))
})
