import { expect, test } from '@jest/globals'
import { exampleRun } from '../example-run.ts'
import { endedRun, keyOf, lostUpdates, merged, type Results, withSteal } from './results.ts'

const results: Results = {
  started: '2026-11-21T10:00:00.000Z',
  node: 'v24.21.0',
  cpus: 2,
  cpuModel: 'Some CPU',
  settings: { SECS: 3, TXNS: 10_000, SPENDING: 50 },
  memory: { idle: { coffer: { rssMiB: 200 } }, end: { coffer: { rssMiB: 300 } } },
  runs: [exampleRun({ name: 'links', wallS: 1 }), exampleRun({ name: 'post_tx', wallS: 2 })],
  yardstick: { 1: 6000, 16: 20_000 },
}

test.each([
  [
    '10:00:00 pass 2 post_tx_tenants  c=1     479 req/s p50 1 p99 2 bad 0 {} load 1 ',
    { pass: 2, name: 'post_tx_tenants', conc: 1 },
  ],
  [
    '10:00:00 pass 1 health           c=64  25846 req/s p50 1 p99 2 bad 0 {} load 1 ',
    { pass: 1, name: 'health', conc: 64 },
  ],
])('a line of the generator names the ended run: %s', (line, run) => {
  expect(endedRun(line)).toBe(keyOf(run))
})

test.each(['10:00:00 seeding 10000 transactions', '10:00:00 pause 5 s', ''])(
  'other lines name no run: %p',
  (line) => {
    expect(endedRun(line)).toBeNull()
  },
)

test('a run has the stolen share of the seconds before its end', () => {
  const readings = [
    { atMs: 0, stolen: 0, all: 0 },
    { atMs: 1000, stolen: 0, all: 100 },
    { atMs: 2000, stolen: 50, all: 200 },
    { atMs: 4000, stolen: 100, all: 400 },
  ]
  const ended = new Map([[keyOf(exampleRun({ name: 'post_tx' })), 3000]])
  const { runs } = withSteal(results, { ended, readings })
  expect(runs.map(({ stolen }) => stolen)).toEqual([0, 0.375])
})

test('a later report adds its runs, its memory, and a faster yardstick', () => {
  const later: Results = {
    ...results,
    started: '2026-11-21T11:00:00.000Z',
    memory: { idle: { coffer: { rssMiB: 400 } }, end: { coffer: { rssMiB: 500 } } },
    runs: [exampleRun({ name: 'health' })],
    yardstick: { 1: 7000, 16: 18_000 },
  }
  expect(merged(results, later)).toEqual({
    ...results,
    memory: { idle: { coffer: { rssMiB: 200 } }, end: { coffer: { rssMiB: 500 } } },
    runs: [...results.runs, ...later.runs],
    yardstick: { 1: 7000, 16: 20_000 },
  })
  expect(merged(results, { ...later, yardstick: null }).yardstick).toEqual(results.yardstick)
  expect(merged({ ...results, yardstick: null }, later).yardstick).toEqual(later.yardstick)
})

test('acknowledged writes that the sums lack are lost updates, in any pass', () => {
  const sound = { expected: 1000, availableMoved: 1000, allocatedMoved: 1000 }
  const check = { expected: 1000, availableMoved: 900, allocatedMoved: 1000 }
  expect(lostUpdates([exampleRun({ check: sound }), exampleRun({})])).toBe(0)
  expect(lostUpdates([exampleRun({ check }), exampleRun({ check: sound })])).toBe(100)
  expect(lostUpdates([])).toBe(0)
})
