import { timestampMs } from '@bufbuild/protobuf/wkt'
import { anonymousCaller, callerSkewSeconds, type Signer } from '@coffer/kit/rpc/caller'
import { isCallerExpired, isCallerRefused } from '@coffer/kit/rpc/errors'
import type { Mesh } from '@coffer/kit/rpc/mesh'
import { asCaller } from '@coffer/kit/rpc/rpc'
import type { Log } from '@coffer/kit/service/log'
import { ServiceHealthService } from '@coffer/proto/health/v1/service_health'
import { Code, ConnectError } from '@connectrpc/connect'
import { type IsolationOptions, watchIsolation } from './isolation.ts'
import { setClockSkew, watchAway } from './metrics.ts'

/** Time in ms for which a check's result is cached; concurrent checks share a result. */
const heldMs = 1_000
const everyMsDefault = 5_000
const checkMsMax = 2_000

/**
 * Differences in ms between the clocks of this process and of a database. Above `skewMsWarned` the
 * difference is logged; above `skewMsMax` the process may become not ready.
 */
const skewMsWarned = 15_000
const skewMsMax = 1000 * callerSkewSeconds

export interface Dependency {
  name: string
  /** Whether a new process becomes ready only after the service has accepted one of its tokens. */
  isEssential: boolean
  /** Whether this process hosts the service: it then reports whether its database answers. */
  isHosted: boolean
  /** Signs the health checks of the service. */
  signer: Signer
}

/** Why a service is unhealthy. */
interface Fault {
  reason: string
  /**
   * Faulty part: the `service` or its `database` does not answer, the `token` of this process is
   * refused, or its `clock` differs from the database's.
   */
  kind: 'service' | 'database' | 'token' | 'clock'
  /** Whether the service has accepted the caller token of the check. */
  isAccepted: boolean
  /** Whether the clock of this process differs from another one by over 30 s. */
  isClockWrong?: boolean
}

export interface ReadinessOptions extends Omit<IsolationOptions, 'ask' | 'isReady'> {
  mesh: Mesh
  log: Log
  /**
   * Whether this process is starting. Loading code blocks its event loop, so checks time out
   * although the service answers; such a fault is logged only if it outlasts the start.
   */
  isStarting?: () => boolean
  /** Aborts on a stop signal; replicas then disregard this process. */
  draining?: AbortSignal
  /** Interval of checks while a service is healthy, 5 s by default; otherwise it is one second. */
  everyMs?: number
}

/** Watch on the health of hosted and called services (docs/operations.md#health-and-readiness). */
export interface Readiness extends Disposable {
  /** Checks all services; returns whether each answers and reaches its database. */
  isHealthy: () => Promise<boolean>
  /**
   * Returns the reasons why the process is not ready: only faults that its replicas do not share.
   * Uses the latest results, so that an unresponsive service does not delay the answer.
   */
  blockers: () => Promise<string[]>
  /**
   * Returns all current outages, one text for each service, whether they affect readiness or not.
   */
  away: () => string[]
  /** Whether a database of a hosted service is away, so that calls of this service fail. */
  isDatabaseAway: () => boolean
}

/**
 * Checks the services every 5 s and on request; logs outages and recoveries. A process becomes
 * ready once all essential services have accepted its caller token, and no other refuses it. Later
 * refusals and outages do not change readiness, because they affect all replicas.
 */
export function watchReadiness(dependencies: Dependency[], options: ReadinessOptions): Readiness {
  const { everyMs = everyMsDefault, draining } = options
  const stack = new DisposableStack()
  const watched = dependencies.map((dependency) => stack.use(watch(dependency, options)))
  const refreshAll = () => Promise.all(watched.map(({ refresh }) => refresh()))
  let hasStarted = false
  const blockers = async (): Promise<string[]> => {
    await Promise.all(watched.map(({ last }) => last()))
    const refusing = watched.filter(({ isAccepting }) => !isAccepting())
    hasStarted ||= refusing.length === 0
    if (!hasStarted) return reasonsOf(refusing)
    const wrong = watched.filter(({ known }) => known()?.isClockWrong)
    return [
      ...(isolation.isClockShared() ? [] : reasonsOf(wrong.filter((one) => one.isEssential))),
      ...(isolation.isCutOff() ? ['nothing answers this process, while its replicas live'] : []),
    ]
  }
  const isReady = async () => !draining?.aborted && (await blockers()).length === 0
  const isolation = stack.use(watchIsolation({ ...options, ask: refreshAll, isReady }))
  const timer = setInterval(
    () => {
      for (const one of watched) if (one.isDue(everyMs)) void one.refresh()
    },
    Math.min(everyMs, heldMs),
  )
  timer.unref()
  stack.defer(() => clearInterval(timer))
  return {
    isHealthy: async () => (await refreshAll()).every((fault) => !fault || fault.kind === 'clock'),
    blockers,
    away: () => reasonsOf(watched),
    isDatabaseAway: () => watched.some((one) => one.isHosted && one.known()?.kind === 'database'),
    [Symbol.dispose]: () => stack.dispose(),
  }
}

type Watched = ReturnType<typeof watch>

function reasonsOf(watched: Watched[]): string[] {
  return watched.flatMap(({ name, known }) => {
    const fault = known()
    return fault ? [`${name}: ${fault.reason}`] : []
  })
}

function watch(dependency: Dependency, options: ReadinessOptions) {
  const { name, isEssential, isHosted } = dependency
  const { log, isStarting = () => false } = options
  let latest = { at: Number.NEGATIVE_INFINITY, fault: Promise.resolve<Fault | null>(null) }
  let last: Promise<Fault | null> | null = null
  let known: Fault | null | undefined
  let wasAccepted = false
  let away: (Fault & { since: number }) | null = null
  const logChange = (fault: Fault | null): void => {
    const now = performance.now()
    if (fault !== null && !isSameFault(fault, away)) {
      const { reason, kind } = fault
      log.warn({ service: name, reason }, kind === 'clock' ? 'clocks differ' : 'service is away')
    }
    if (fault === null && away !== null) {
      log.info({ service: name, awayMs: Math.round(now - away.since) }, 'service is back')
    }
    away = fault && { ...fault, since: away?.since ?? now }
  }
  const refresh = (): Promise<Fault | null> => {
    if (performance.now() - latest.at < heldMs) return latest.fault
    const isOfStart = isStarting()
    const fault = check(dependency, options)
    latest = { at: performance.now(), fault }
    void fault.then((found) => {
      if (!isOfStart) logChange(found)
      wasAccepted ||= found?.isAccepted ?? true
      known = found
      last = fault
    })
    return fault
  }
  const awayOf = (kind: 'service' | 'database') => () =>
    known === undefined ? null : Number(known?.kind === kind)
  const metrics = new DisposableStack()
  if (!isHosted) metrics.use(watchAway(awayOf('service'), 'service', name))
  metrics.use(watchAway(awayOf('database'), 'postgres', name))
  return {
    name,
    isEssential,
    isHosted,
    refresh,
    last: () => last ?? refresh(),
    known: () => known ?? null,
    /**
     * Whether the service counts as accepting the tokens of this process. An essential service must
     * have accepted one; another service must only not have refused one in the last check.
     */
    isAccepting: () => wasAccepted || (!isEssential && known?.kind !== 'token'),
    isDue: (everyMs: number) => known !== null || performance.now() - latest.at >= everyMs,
    [Symbol.dispose]: () => metrics.dispose(),
  }
}

/**
 * Returns whether two faults are the same for the log. Ignores `reason`, which may change at each
 * check, for example from a refused connection to a timeout.
 */
function isSameFault(left: Fault, right: Fault | null): boolean {
  return left.kind === right?.kind && left.isClockWrong === right.isClockWrong
}

/**
 * Checks a service; returns its fault, null if it is healthy. Never rejects: a service that does
 * not answer within `checkMsMax` is unhealthy.
 */
async function check(
  dependency: Dependency,
  { mesh, clock }: ReadinessOptions,
): Promise<Fault | null> {
  const { name, signer } = dependency
  const askedAt = clock()
  const call = { ...asCaller(anonymousCaller(signer, askedAt)), timeoutMs: checkMsMax }
  try {
    const service = mesh.client(name, ServiceHealthService)
    const answer = await service.checkServiceHealth({ service: name }, call)
    if (!answer.isDatabaseHealthy) {
      return { reason: 'its database does not answer', kind: 'database', isAccepted: true }
    }
    // until 0.4: a service of 0.2.0 does not send `databaseTime`.
    if (!answer.databaseTime) return null
    const halfwayMs = (askedAt.getTime() + clock().getTime()) / 2
    return skewFault(halfwayMs - timestampMs(answer.databaseTime), name)
  } catch (error) {
    return faultOf(ConnectError.from(error))
  }
}

/**
 * Exports the lead of this process's clock over a database's; returns a fault above 15 s. Above 30
 * s other services would refuse the tokens of this process.
 */
function skewFault(skewMs: number, name: string): Fault | null {
  setClockSkew(skewMs / 1000, name)
  const differenceMs = Math.abs(skewMs)
  if (differenceMs <= skewMsWarned) return null
  const isClockWrong = differenceMs > skewMsMax
  const most = (isClockWrong ? skewMsMax : skewMsWarned) / 1000
  const direction = skewMs > 0 ? 'ahead of' : 'behind'
  const reason = `the clock of this process is over ${most} s ${direction} that of its database`
  return { reason, kind: 'clock', isAccepted: true, isClockWrong }
}

/** Returns the fault of a failed health check. */
function faultOf({ code, cause }: ConnectError): Fault {
  if (isCallerRefused(cause)) {
    const { rawMessage } = ConnectError.from(cause)
    const isClockWrong = isCallerExpired(cause)
    const reason = isClockWrong
      ? `refuses the tokens of this process (${rawMessage}): do the clocks differ?`
      : `refuses the keys of this process (${rawMessage}): is COFFER_KEYS_DIR the same?`
    return { reason, kind: 'token', isAccepted: false, isClockWrong }
  }
  const detail = (cause as NodeJS.ErrnoException | undefined)?.code ?? Code[code]
  return { reason: `does not answer (${detail})`, kind: 'service', isAccepted: false }
}
