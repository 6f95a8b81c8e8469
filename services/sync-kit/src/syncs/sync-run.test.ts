import { expect, test } from '@jest/globals'
import { type Step, settle } from './sync-run.ts'

/** A sync that records its pauses, and a step that returns these results in order. */
function stepping(results: Step<{ rows: number }>[]) {
  const pauses: number[] = []
  const pause = async (ms: number) => {
    pauses.push(ms)
  }
  const step = async () => results.shift() ?? { kind: 'gone' as const }
  return { sync: { waits: 0, pause }, step, pauses }
}

test('a step is repeated after each pause that it asks for', async () => {
  const { sync, step, pauses } = stepping([
    { kind: 'wait', ms: 1_000 },
    { kind: 'wait', ms: 60_000 },
    { kind: 'done', rows: 2 },
  ])
  expect(await settle(sync, step)).toEqual({ kind: 'done', rows: 2 })
  expect(pauses).toEqual([1_000, 60_000])
})

test('a pause of over a minute, or a fourth one of all steps, postpones the sync', async () => {
  const long = stepping([{ kind: 'wait', ms: 60_001 }])
  expect(await settle(long.sync, long.step)).toEqual({ kind: 'postponed', untilMs: 60_001 })
  const { sync, step, pauses } = stepping([1, 2, 3, 4].map((ms) => ({ kind: 'wait', ms })))
  sync.waits = 1
  expect(await settle(sync, step)).toEqual({ kind: 'postponed', untilMs: 3 })
  expect(pauses).toEqual([1, 2])
})
