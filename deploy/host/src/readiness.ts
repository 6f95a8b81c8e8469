import { timestampMs } from '@bufbuild/protobuf/wkt'
import { anonymousCaller, type Signer } from '@coffer/kit/rpc/caller'
import { isCallerExpired, isCallerRefused } from '@coffer/kit/rpc/errors'
import type { Mesh } from '@coffer/kit/rpc/mesh'
import { asCaller } from '@coffer/kit/rpc/rpc'
import type { Log } from '@coffer/kit/service/log'
import { ServiceHealthService } from '@coffer/proto/health/v1/service_health'
import { Code, ConnectError } from '@connectrpc/connect'
import { setClockSkew } from './metrics.ts'

/** Time in ms for which a check's result is cached; concurrent checks share a result. */
const heldMs = 1_000
const everyMsDefault = 5_000
const checkMsMax = 2_000

/** Differences in ms to a database's clock that are logged, and that make a process not ready. */
const skewMsWarned = 15_000
const skewMsMax = 30_000

export interface Dependency {
  name: string
  /** Whether this process is not ready while the service is unhealthy. */
  isEssential: boolean
  /** Signs the health checks of the service. */
  signer: Signer
}

/** Why a service is unhealthy, and whether that makes this process not ready. */
interface Fault {
  reason: string
  isBlocking: boolean
  /** Whether the service and its database answer all the same. */
  isAlive?: boolean
}

export interface ReadinessOptions {
  mesh: Mesh
  log: Log
  clock: () => Date
  /**
   * Whether this process still starts. The load of code blocks its event loop then, so that checks
   * time out although the service answers: such a fault is logged once it outlasts the start.
   */
  isStarting?: () => boolean
  /** Interval of the checks; 5 s by default. */
  everyMs?: number
}

/** Watch on the health of hosted and called services (docs/operations.md#health-and-readiness). */
export interface Readiness extends Disposable {
  /** Checks all services; returns whether each answers and reaches its database. */
  isHealthy: () => Promise<boolean>
  /**
   * Returns why the process is not ready, one text for each blocking service. Uses the latest
   * results, so that a hanging service does not delay the answer.
   */
  blockers: () => Promise<string[]>
}

/** Checks the services every 5 s and on request; logs outages and recoveries. */
export function watchReadiness(dependencies: Dependency[], options: ReadinessOptions): Readiness {
  const watched = dependencies.map((dependency) => watch(dependency, options))
  const timer = setInterval(() => {
    for (const { refresh } of watched) void refresh()
  }, options.everyMs ?? everyMsDefault)
  timer.unref()
  return {
    isHealthy: async () => {
      const faults = await Promise.all(watched.map(({ refresh }) => refresh()))
      return faults.every((fault) => fault === null || fault.isAlive)
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

function watch(dependency: Dependency, options: ReadinessOptions) {
  const { name } = dependency
  const { log, isStarting = () => false } = options
  let latest = { at: Number.NEGATIVE_INFINITY, fault: Promise.resolve<Fault | null>(null) }
  let last: Promise<Fault | null> | null = null
  let away: { reason: string; since: number } | null = null
  const logChange = (fault: Fault | null): void => {
    const now = performance.now()
    if (fault !== null && fault.reason !== away?.reason) {
      const { reason, isBlocking, isAlive } = fault
      log.warn({ service: name, reason, isBlocking }, isAlive ? 'clocks differ' : 'service is away')
    }
    if (fault === null && away !== null) {
      log.info({ service: name, awayMs: Math.round(now - away.since) }, 'service is back')
    }
    away = fault && { reason: fault.reason, since: away?.since ?? now }
  }
  const refresh = (): Promise<Fault | null> => {
    if (performance.now() - latest.at < heldMs) return latest.fault
    const isOfStart = isStarting()
    const fault = check(dependency, options)
    latest = { at: performance.now(), fault }
    void fault.then((known) => {
      if (!isOfStart) logChange(known)
      last = fault
    })
    return fault
  }
  return { name, refresh, last: () => last ?? refresh() }
}

/**
 * Checks a service; returns null if it is healthy, else the fault. Never rejects: a service that
 * does not answer within `checkMsMax` is unhealthy.
 */
async function check(
  dependency: Dependency,
  { mesh, clock }: ReadinessOptions,
): Promise<Fault | null> {
  const { name, isEssential, signer } = dependency
  const askedAt = clock()
  const call = { ...asCaller(anonymousCaller(signer, askedAt)), timeoutMs: checkMsMax }
  try {
    const service = mesh.client(name, ServiceHealthService)
    const answer = await service.checkServiceHealth({ service: name }, call)
    if (!answer.isDatabaseHealthy) {
      return { reason: 'its database does not answer', isBlocking: isEssential }
    }
    // Absent in answers of the version before.
    if (!answer.databaseTime) return null
    const halfwayMs = (askedAt.getTime() + clock().getTime()) / 2
    return skewFault(halfwayMs - timestampMs(answer.databaseTime), dependency)
  } catch (error) {
    return faultOf(ConnectError.from(error), isEssential)
  }
}

/**
 * Records by how much the clock of this process is ahead of a database's; returns a fault above
 * 15 s, which blocks above 30 s: other services would refuse the tokens of this process.
 */
function skewFault(skewMs: number, { name, isEssential }: Dependency): Fault | null {
  setClockSkew(skewMs / 1000, name)
  const differenceMs = Math.abs(skewMs)
  if (differenceMs <= skewMsWarned) return null
  const isTooMuch = differenceMs > skewMsMax
  const most = (isTooMuch ? skewMsMax : skewMsWarned) / 1000
  const direction = skewMs > 0 ? 'ahead of' : 'behind'
  return {
    reason: `the clock of this process is over ${most} s ${direction} that of its database`,
    isBlocking: isTooMuch && isEssential,
    isAlive: true,
  }
}

/**
 * Returns the fault of a failed health check. A refused caller token always makes the process not
 * ready: the signing keys differ, so every call fails.
 */
function faultOf({ code, cause }: ConnectError, isEssential: boolean): Fault {
  if (isCallerRefused(cause)) {
    const { rawMessage } = ConnectError.from(cause)
    if (isCallerExpired(cause)) {
      const reason = `refuses the tokens of this process (${rawMessage}): do the clocks differ?`
      return { reason, isBlocking: isEssential }
    }
    const reason = `refuses the keys of this process (${rawMessage}): is COFFER_KEYS_DIR the same?`
    return { reason, isBlocking: true }
  }
  const detail = (cause as NodeJS.ErrnoException | undefined)?.code ?? Code[code]
  return { reason: `does not answer (${detail})`, isBlocking: isEssential }
}
