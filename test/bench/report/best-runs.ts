import { isDisturbed } from '../host/steal.ts'
import { costOf, type Run } from './results.ts'

/** Returns the best run for each kind of work and number of connections, in the order of `runs`. */
export function bestRuns(runs: readonly Run[]): Run[] {
  return alikeRuns(runs).flatMap((passes) => bestOf(passes) ?? [])
}

/** Groups runs by kind of work and number of connections, in the order of `runs`. */
export function alikeRuns(runs: readonly Run[]): Run[][] {
  return [...Map.groupBy(runs, ({ name, conc }) => `${name} ${conc}`).values()]
}

/**
 * Returns the work to measure again, because the host took processor time even during its best run;
 * null if there is none.
 */
export function disturbedWork(
  runs: readonly Run[],
): { names: string[]; connections: number[] } | null {
  const disturbed = bestRuns(runs).filter(({ stolen }) => isDisturbed(stolen))
  if (disturbed.length === 0) return null
  return {
    names: [...new Set(disturbed.map(({ name }) => name))],
    connections: [...new Set(disturbed.map(({ conc }) => conc))].sort((a, b) => a - b),
  }
}

/**
 * Returns the run with the least processor time per request among undisturbed runs, or else among
 * those with the least stolen share. The rate is no criterion: another guest on the same core
 * halves it without stealing time. Without processor times, returns the run of median rate.
 */
function bestOf(passes: readonly Run[]): Run | undefined {
  const least = Math.min(...passes.map(percentStolen))
  const calm = passes.filter(({ stolen }) => stolen !== null && !isDisturbed(stolen))
  const fair = calm.length > 0 ? calm : passes.filter((run) => percentStolen(run) === least)
  const costs = fair.flatMap((run) => costOf(run)?.total ?? [])
  if (costs.length < fair.length) {
    return fair.toSorted((a, b) => a.rps - b.rps)[Math.floor((fair.length - 1) / 2)]
  }
  return fair[costs.indexOf(Math.min(...costs))]
}

function percentStolen({ stolen }: Run): number {
  return stolen === null ? Number.POSITIVE_INFINITY : Math.floor(stolen * 100)
}
