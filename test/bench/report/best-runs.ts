import { isDisturbed } from '../host/steal.ts'
import { costOf, type Run } from './results.ts'

/** For each kind of work and number of connections the run that says most, in their order. */
export function bestRuns(runs: readonly Run[]): Run[] {
  return alikeRuns(runs).flatMap((passes) => bestOf(passes) ?? [])
}

/** The runs of the same work over as many connections together, in the order of the first ones. */
export function alikeRuns(runs: readonly Run[]): Run[][] {
  return [...Map.groupBy(runs, ({ name, conc }) => `${name} ${conc}`).values()]
}

/**
 * What has to be measured again, as the host took too much of even the best run of it; null where
 * there is nothing.
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
 * Of those that the host left alone, else of those of which it took least (to a percent), the one
 * whose requests took the least processor time: a neighbour on the same processor slows what we run
 * down to a half without taking any of its time. The middle one by its rate where that is unknown.
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
