import { expect, test } from '@jest/globals'
import { exampleRun } from '../example-run.ts'
import { bestRuns, disturbedWork } from './best-runs.ts'

/** Returns the rate of the best run; a run is written as `stolen rate` or `stolen rate cores`. */
function bestRate(runs: string): number | undefined {
  const examples = runs.split(', ').map((run) => {
    const [stolen = '', rps, coffer] = run.split(' ')
    return exampleRun({
      stolen: stolen === '?' ? null : Number(stolen),
      rps: Number(rps),
      ...(coffer ? { cores: { coffer: Number(coffer), postgres: 0 } } : {}),
    })
  })
  return bestRuns(examples)[0]?.rps
}

test.each([
  ['of those left alone the cheapest', '0.3 900 0.1, 0 300 1, 0.04 200 0.5, 0.01 310 0.9', 200],
  ['the cheaper of those most alike', '0.3 900 0.1, 0.201 300 1, 0.209 100 0.2', 100],
  ['the least disturbed, whatever its rate', '0.2 500, 0.01 90, 0.1 100', 90],
  ['the middle one where nothing was taken', '0 300, 0 100, 0 200', 200],
  ['the middle one of those alike to a percent', '0.001 300, 0.009 100, 0 200', 200],
  ['the slower of two alike', '0.3 900, 0 300, 0 100', 100],
  ['the middle one where nothing is known', '? 300, ? 100, ? 200', 200],
  ['a known one rather than an unknown', '? 300, 0.4 100', 100],
  ['the only one', '0.6 7', 7],
])('the best run is %s', (_what, runs, rate) => {
  expect(bestRate(runs)).toBe(rate)
})

test('each work and number of connections has its best run, in the order of first runs', () => {
  const runs = [
    exampleRun({ name: 'links', conc: 16, stolen: 0.1 }),
    exampleRun({ name: 'health', conc: 1 }),
    exampleRun({ name: 'links', conc: 1 }),
    exampleRun({ pass: 2, name: 'links', conc: 16 }),
  ]
  expect(bestRuns(runs)).toEqual([runs[3], runs[1], runs[2]])
  expect(bestRuns([])).toEqual([])
})

test('work whose best run is disturbed is measured again', () => {
  const runs = [
    exampleRun({ name: 'links', conc: 64, stolen: 0.4 }),
    exampleRun({ name: 'links', conc: 16, stolen: 0.3 }),
    exampleRun({ name: 'health', conc: 16, stolen: 0.06 }),
    exampleRun({ name: 'health', conc: 1, stolen: 0.5 }),
    exampleRun({ name: 'health', conc: 1, stolen: 0.05 }),
    exampleRun({ name: 'forecast', conc: 1, stolen: null }),
  ]
  expect(disturbedWork(runs)).toEqual({ names: ['links', 'health'], connections: [16, 64] })
  expect(disturbedWork(runs.slice(3))).toBeNull()
})
