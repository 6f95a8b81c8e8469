import { expect, test } from '@jest/globals'
import { lostUpdates, type Results, withFigures } from './report.ts'

const run = (rps: number, p99: number) => ({
  rps: [rps - 1, rps, rps + 1] as [number, number, number],
  p99ms: [p99, p99, p99] as [number, number, number],
  errors: 0,
})

const results: Results = {
  started: '2026-11-21T10:00:00.000Z',
  node: 'v24.21.0',
  cpus: 2,
  cpuModel: 'Some CPU',
  settings: { SECS: 10, REPEATS: 3, TXNS: 10_000, SPENDING: 50 },
  memory: { idle: { coffer: { rssMiB: 200.4 } }, end: { coffer: { rssMiB: 300.6 } } },
  summary: {
    links: { 1: run(2000, 1), 16: run(6304, 4.26), 64: run(6000, 20) },
    transfer_pair: { 1: run(400, 3), 16: run(900, 25) },
  },
  runs: [
    { name: 'transfer_pair', check: { expected: 0, allocatedMoved: 0 } },
    { name: 'post_tx', check: { expected: 1000, availableMoved: 1000, allocatedMoved: 1000 } },
  ],
}

const page = 'Words.\n<!-- figures -->\nold\n<!-- end of figures -->\nMore words.'

const reference = {
  links: { work: 'GET links', 1: 1000, 16: 3152, 64: 3000, p99: 13 },
  transfer_pair: { work: 'Pair', 1: 338, 16: 2, 64: null, p99: 17_054, note: 'deadlocks' },
}

test('ours stands beside the reference with the factor between them', () => {
  const lines = withFigures(page, results, reference).split('\n')
  expect(lines).toContain(
    '| GET links | 2,000 | 1,000 | 2.0× | 6,304 | 3,152 | 2.0× | ' +
      '6,000 | 3,000 | 2.0× | 4.3 | 13 |  |',
  )
  expect(lines).toContain(
    '| Pair | 400 | 338 | 1.2× | 900 | 2 | 450.0× | – | – | – | 25 | 17,054 | ' +
      'reference: deadlocks |',
  )
})

test('every row has as many cells as the head', () => {
  const table = withFigures(page, results, reference)
    .split('\n')
    .filter((line) => line.startsWith('|'))
  const cells = table.map((line) => line.split('|').length)
  // Work, three figures for each of three numbers of connections, two latencies, notes.
  const columns = 1 + 3 * 3 + 2 + 1
  expect(new Set(cells)).toEqual(new Set([columns + 2]))
})

test('the words around the figures stay, the old figures go', () => {
  const renewed = withFigures(page, results, reference)
  expect(renewed.startsWith('Words.\n<!-- figures -->\n')).toBe(true)
  expect(renewed.endsWith('\n<!-- end of figures -->\nMore words.')).toBe(true)
  expect(renewed).not.toContain('old')
  expect(withFigures(renewed, results, reference)).toBe(renewed)
})

test('the conditions are named', () => {
  const renewed = withFigures(page, results, reference)
  expect(renewed).toContain('Measured on 2026-11-21')
  expect(renewed).toContain('median of 3 passes of 10 s each')
  const short = { ...results, settings: { ...results.settings, REPEATS: 1 } }
  expect(withFigures(page, short, reference)).toContain('one pass of 10 s each')
  expect(renewed).toContain('2 CPUs (Some CPU), Node v24.21.0')
  expect(renewed).toContain('coffer 200 MiB idle, coffer 301 MiB after the load')
})

test('a write whose sums did not move by what was acknowledged is a loss', () => {
  const check = { expected: 1000, availableMoved: 900, allocatedMoved: 1000 }
  const losing = { ...results, runs: [{ name: 'post_tx', check }] }
  expect(lostUpdates(results, 'post_tx')).toBe(0)
  expect(lostUpdates(losing, 'post_tx')).toBe(100)
  expect(lostUpdates({ ...results, runs: [] }, 'post_tx')).toBe(0)
})

test('errors are told of', () => {
  const failing = { links: { 16: { ...run(10, 1), errors: 7 } } }
  expect(withFigures(page, { ...results, summary: failing }, reference)).toContain('| 7 errors |')
})
