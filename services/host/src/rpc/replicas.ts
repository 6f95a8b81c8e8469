import { lookup } from 'node:dns/promises'
import { get } from 'node:http'
import { get as getTls } from 'node:https'
import { isIP } from 'node:net'
import type { MeshTls } from './mesh-tls.ts'

/** Age in ms from which the addresses of a DNS name are looked up again for a new connection. */
const lookupMsMax = 5_000

/** Time in ms for which an ejected replica gets no calls; then a probe decides. */
const ejectionMs = 10_000

/** Interval in ms of the probes of a replica that is stopping, or whose connections break. */
const absenceMs = 1_000

/** Timeout in ms of a probe. */
const probeTimeoutMs = 1_000

/** Header of `/readyz` if a database is away: the process is ready, but its calls fail. */
export const awayHeader = 'coffer-away'

/** Consecutive answers "unavailable" that eject a replica. */
const failuresMax = 3

/** A replica of a service: one address of its URLs. */
export interface Replica {
  host: string
  port: number
  /** Host name of the URL, which a certificate names; empty for an IP address (RFC 6066 3). */
  servername: string
  /** Time of the last first byte of an answer, by `performance.now`. */
  heardAt: number
  failures: number
  isEjected: boolean
}

/** The replicas of one service. */
export interface Replicas extends Disposable {
  /** Returns the replica for a new connection. Throws the error of the DNS look-up. */
  pick: () => Promise<Replica>
  /** Returns whether the service has several replicas. */
  areSeveral: () => boolean
  /** Records an answer. */
  heard: (replica: Replica, isUnavailable: boolean) => void
  /** Ejects a replica that is stopping, which its answers announce by `Connection: close`. */
  leaves: (replica: Replica) => void
  /** Ejects a replica that refused a caller token: its clock or its keys are wrong. */
  refused: (replica: Replica) => void
  /** Ejects a replica that broke or refused a connection, as a killed process does. */
  failed: (replica: Replica, isRefused: boolean) => void
  /** Ejects a replica that has not answered since this time, unless it answers a probe. */
  suspect: (replica: Replica, since: number) => Promise<void>
}

/**
 * Reason of an ejection: a replica that `fails` loses its calls, one that `stops` finishes them.
 */
export type Ejection = 'fails' | 'stops'

/**
 * Creates a load balancer with passive outlier detection: round robin; ejects a replica that hangs,
 * fails or stops. The last replica is ejected only if another one has recovered. `urls` are base
 * URLs; each address of a host name is a replica.
 */
export function createReplicas(
  urls: string[],
  onEjected: (replica: Replica, why: Ejection) => void,
  tls: MeshTls | null = null,
): Replicas {
  const addresses = createAddresses(urls)
  const answers = (replica: Replica, path: string) => probe(replica, { path, tls })
  let picks = 0
  let isDisposed = false
  const healthy = () => addresses.known().filter(({ isEjected }) => !isEjected)
  const hasOther = (replica: Replica) => healthy().some((one) => one !== replica)
  const readmitReady = async (replica: Replica) => {
    if (await answers(replica, '/readyz')) readmit(replica)
  }
  const readmitLater = (replica: Replica, afterMs: number) => {
    setTimeout(async () => {
      if (isDisposed || !replica.isEjected || !addresses.known().includes(replica)) return
      const isReady = !hasOther(replica) || (await answers(replica, '/readyz'))
      if (!isReady) return readmitLater(replica, afterMs)
      readmit(replica)
    }, afterMs).unref()
  }
  const eject = (replica: Replica, why: Ejection, afterMs: number) => {
    if (isDisposed || replica.isEjected || !hasOther(replica)) return
    replica.isEjected = true
    readmitLater(replica, afterMs)
    onEjected(replica, why)
  }
  /** Ejects a replica; the last usable one only if an ejected one is ready again for its calls. */
  const replace = shared(async (replica) => {
    const ejected = hasOther(replica) ? [] : addresses.known().filter(({ isEjected }) => isEjected)
    await Promise.all(ejected.map(readmitReady))
    eject(replica, 'fails', ejectionMs)
  })
  const replaceSilent = shared(async (replica) => {
    if (!(await answers(replica, '/healthz'))) await replace(replica)
  })
  return {
    pick: async () => {
      await addresses.refresh(healthy().length === 0 ? 0 : lookupMsMax)
      const among = healthy().length > 0 ? healthy() : addresses.known()
      picks += 1
      return among[picks % among.length] as Replica
    },
    areSeveral: () => addresses.known().length > 1,
    heard: (replica, isUnavailable) => {
      replica.heardAt = performance.now()
      replica.failures = isUnavailable ? replica.failures + 1 : 0
      // Every third failure in a row, because replacing the last replica probes the ejected ones.
      if (replica.failures > 0 && replica.failures % failuresMax === 0) void replace(replica)
    },
    leaves: (replica) => eject(replica, 'stops', absenceMs),
    refused: (replica) => eject(replica, 'fails', ejectionMs),
    failed: (replica, isRefused) => {
      // Rolling restart: the other replicas may be up again, so they get calls before a probe.
      if (isRefused && !hasOther(replica)) {
        for (const one of addresses.known()) one.isEjected = false
      }
      eject(replica, 'stops', absenceMs)
    },
    suspect: async (replica, since) => {
      if (replica.heardAt >= since || replica.isEjected) return
      await replaceSilent(replica)
    },
    [Symbol.dispose]: () => {
      isDisposed = true
    },
  }
}

function readmit(replica: Replica): void {
  replica.isEjected = false
  replica.failures = 0
}

/** Singleflight: returns a function that runs `work` once at a time for each replica. */
function shared(work: (replica: Replica) => Promise<void>) {
  const running = new Map<Replica, Promise<void>>()
  return (replica: Replica): Promise<void> => {
    const run = running.get(replica) ?? work(replica).finally(() => running.delete(replica))
    running.set(replica, run)
    return run
  }
}

/** Looks up the addresses of URLs; keeps those known if no look-up succeeds. */
function createAddresses(urls: string[]) {
  let current: Replica[] = []
  let resolving: Promise<void> | null = null
  let resolvedAt = Number.NEGATIVE_INFINITY
  const resolve = async () => {
    const found = await Promise.allSettled(urls.map(lookUp))
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    const fault = found.find((one) => one.status === 'rejected')
    if (addresses.length === 0 && current.length === 0) throw fault?.reason
    resolvedAt = performance.now()
    if (addresses.length === 0) return
    current = addresses.map((address) => current.find((one) => isSame(one, address)) ?? address)
  }
  return {
    known: () => current,
    /**
     * Looks the addresses up, unless they are younger than `msMax`; concurrent calls share a
     * look-up.
     */
    refresh: async (msMax: number) => {
      if (performance.now() - resolvedAt <= msMax) return
      resolving ??= resolve().finally(() => {
        resolving = null
      })
      await resolving
    },
  }
}

async function lookUp(url: string): Promise<Replica[]> {
  const { hostname, port, protocol } = new URL(url)
  // A literal IPv6 address has brackets in a URL, which `lookup` does not accept.
  const name = hostname.replace(/^\[|\]$/g, '')
  const found = await lookup(name, { all: true })
  return found.map(({ address }) => ({
    host: address,
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
    servername: isIP(name) ? '' : name,
    heardAt: 0,
    failures: 0,
    isEjected: false,
  }))
}

function isSame(left: Replica, right: Replica): boolean {
  return left.host === right.host && left.port === right.port
}

/**
 * Returns whether a probe is answered with 200: `/healthz` if the process answers at all, `/readyz`
 * if it is ready and the databases of its services answer, too.
 */
function probe(
  { host, port, servername }: Replica,
  { path, tls }: { path: string; tls: MeshTls | null },
): Promise<boolean> {
  const signal = AbortSignal.timeout(probeTimeoutMs)
  const target = { host, port, path, agent: false as const, signal }
  const request = tls ? getTls({ ...target, ...tls.context(), servername }) : get(target)
  return new Promise((resolve) => {
    request.on('response', (response) => {
      response.resume()
      resolve(response.statusCode === 200 && response.headers[awayHeader] === undefined)
    })
    request.on('error', () => resolve(false))
  })
}
