import type { Log } from '@coffer/kit/service/log'
import type { Dependency, Fault } from './dependency.client.ts'

/** Results are cached for this time; concurrent checks share one. */
const heldMs = 1_000
const everyMs = 2_000

/**
 * Health of the services that this process hosts and calls
 * (docs/operations.md#health-and-readiness).
 */
export interface Readiness extends Disposable {
  /** Checks all services, and returns whether each answers with its database. */
  isHealthy: () => Promise<boolean>
  /**
   * Reasons why the process is not ready, one for each service that blocks it. It returns the
   * latest results, so that a hanging service does not delay the answer.
   */
  blockers: () => Promise<string[]>
}

/**
 * Checks the services every two seconds and on request. Logs when a service becomes unavailable and
 * when it recovers.
 */
export function watchReadiness(dependencies: Dependency[], log: Log): Readiness {
  const watched = dependencies.map((dependency) => watch(dependency, log))
  const timer = setInterval(() => {
    for (const { refresh } of watched) void refresh()
  }, everyMs)
  timer.unref()
  return {
    isHealthy: async () => {
      const faults = await Promise.all(watched.map(({ refresh }) => refresh()))
      return faults.every((fault) => fault === null)
    },
    blockers: async () => {
      const faults = await Promise.all(watched.map(({ last }) => last()))
      return watched.flatMap(({ name }, index) => {
        const fault = faults[index]
        return fault?.isBlocking ? [`${name}: ${fault.reason}`] : []
      })
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

function watch({ name, check }: Dependency, log: Log) {
  let latest = { at: Number.NEGATIVE_INFINITY, fault: Promise.resolve<Fault | null>(null) }
  let last: Promise<Fault | null> | null = null
  let away: { reason: string; since: number } | null = null
  const logChange = (fault: Fault | null): void => {
    const now = performance.now()
    if (fault !== null && fault.reason !== away?.reason) {
      const { reason, isBlocking } = fault
      log.warn({ service: name, reason, isBlocking }, 'service is away')
    }
    if (fault === null && away !== null) {
      log.info({ service: name, awayMs: Math.round(now - away.since) }, 'service is back')
    }
    away = fault && { reason: fault.reason, since: away?.since ?? now }
  }
  const refresh = (): Promise<Fault | null> => {
    if (performance.now() - latest.at < heldMs) return latest.fault
    const fault = check()
    latest = { at: performance.now(), fault }
    void fault.then((known) => {
      logChange(known)
      last = fault
    })
    return fault
  }
  return { name, refresh, last: () => last ?? refresh() }
}
