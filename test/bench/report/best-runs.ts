import { isDisturbed } from '../host/steal.ts'
import { costOf, type Run } from './results.ts'

/** Returns the best run of each kind of work and number of connections, in order of first runs. */
export function bestRuns(runs: readonly Run[]): Run[] {
  return alikeRuns(runs).flatMap((passes) => bestOf(passes) ?? [])
}

/** Groups runs by work and number of connections, in order of first runs. */
export function alikeRuns(runs: readonly Run[]): Run[][] {
  return [...Map.groupBy(runs, ({ name, conc }) => `${name} ${conc}`).values()]
}

/** Returns the work whose best run is disturbed, to be measured again; null if there is none. */
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
 * Returns the run with the least processor time per request, among undisturbed runs, or else among
 * those with the least stolen share (in percent). Rates do not show the best run: a guest on the
 * same core halves them without steal. Without processor times, returns the run of median rate.
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
