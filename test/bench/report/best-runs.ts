import { isDisturbed } from '../host/steal.ts'
import { costOf, type Run } from './results.ts'

/** The best run of each kind of work and number of connections, in the order of first runs. */
export function bestRuns(runs: readonly Run[]): Run[] {
  return alikeRuns(runs).flatMap((passes) => bestOf(passes) ?? [])
}

/** Runs grouped by work and number of connections, in the order of first runs. */
export function alikeRuns(runs: readonly Run[]): Run[][] {
  return [...Map.groupBy(runs, ({ name, conc }) => `${name} ${conc}`).values()]
}

/**
 * Work whose best run is disturbed, so that it has to be measured again; null when there is none.
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
 * Of the undisturbed runs, or else of those with the least stolen share (in percent), the run with
 * the least processor time a request. A guest on the same core halves our speed without stealing
 * time. Without processor times, the run with the median rate.
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
