import type { Run } from './report/results.ts'

/** Returns a run of the load generator without errors, with the fields of `given`. */
export function exampleRun(given: Partial<Run>): Run {
  return {
    pass: 1,
    name: 'links',
    conc: 16,
    wallS: 3,
    rps: 100,
    p99: 10,
    errors: 0,
    non2xx: 0,
    stolen: 0,
    ...given,
  }
}
