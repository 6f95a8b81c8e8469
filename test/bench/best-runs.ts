import type { Run } from './results.ts'
import { isDisturbed } from './steal.ts'

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

/** The one of which the host took least; of those alike to a percent the middle one by its rate. */
function bestOf(passes: readonly Run[]): Run | undefined {
  const least = Math.min(...passes.map(percentStolen))
  const calm = passes.filter((run) => percentStolen(run) === least).sort((a, b) => a.rps - b.rps)
  return calm[Math.floor((calm.length - 1) / 2)]
}

function percentStolen({ stolen }: Run): number {
  return stolen === null ? Number.POSITIVE_INFINITY : Math.floor(stolen * 100)
}
