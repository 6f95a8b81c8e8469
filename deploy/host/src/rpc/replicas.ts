import { lookup } from 'node:dns/promises'
import { get } from 'node:http'

/** Age in ms from which the addresses of a DNS name are looked up again for a new connection. */
const lookupMsMax = 5_000

/** Time in ms for which an ejected replica gets no calls; then a probe decides. */
const ejectionMs = 10_000

/** Timeout in ms of a probe. */
const probeTimeoutMs = 1_000

/** Consecutive failures (unavailable, broken connection) that eject a replica. */
const failuresMax = 3

/** A replica of a service: one address of its URLs. */
export interface Replica {
  host: string
  port: number
  /** Time of the last first byte of an answer, by `performance.now`. */
  heardAt: number
  failures: number
  isEjected: boolean
}

/** The replicas of one service. */
export interface Replicas extends Disposable {
  /** Returns the replica for a new connection. Throws the error of the DNS look-up. */
  pick: () => Promise<Replica>
  /** Returns whether another replica could take the calls of this one. */
  hasOther: (replica: Replica) => boolean
  /** Records an answer. */
  heard: (replica: Replica, isUnavailable: boolean) => void
  /** Records a broken connection; a refused connection or caller token ejects at once. */
  failed: (replica: Replica, isRefused: boolean) => void
  /** Ejects a replica that has answered nothing since then, unless it answers a probe. */
  suspect: (replica: Replica, since: number) => Promise<void>
}

/**
 * Creates a load balancer with passive outlier detection: round robin, and a replica that hangs
 * or fails is ejected. The last replica is never ejected. `urls` are base URLs; each address of a
 * host name is a replica.
 */
export function createReplicas(urls: string[], onEjected: (replica: Replica) => void): Replicas {
  let current: Replica[] = []
  let resolving: Promise<void> | null = null
  let resolvedAt = Number.NEGATIVE_INFINITY
  let picks = 0
  let isDisposed = false
  const resolve = async () => {
    const found = await Promise.allSettled(urls.map(lookUp))
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    const fault = found.find((one) => one.status === 'rejected')
    if (addresses.length === 0 && current.length === 0) throw fault?.reason
    resolvedAt = performance.now()
    if (addresses.length === 0) return
    current = addresses.map((address) => current.find((one) => isSame(one, address)) ?? address)
  }
  const hasOther = (replica: Replica) => current.some((one) => one !== replica && !one.isEjected)
  const readmitLater = (replica: Replica) => {
    setTimeout(async () => {
      if (isDisposed || !current.includes(replica)) return
      if (hasOther(replica) && !(await answersProbe(replica))) return readmitLater(replica)
      replica.isEjected = false
      replica.failures = 0
    }, ejectionMs).unref()
  }
  const eject = (replica: Replica) => {
    if (isDisposed || replica.isEjected || !hasOther(replica)) return
    replica.isEjected = true
    readmitLater(replica)
    onEjected(replica)
  }
  return {
    pick: async () => {
      if (performance.now() - resolvedAt > lookupMsMax) {
        resolving ??= resolve().finally(() => {
          resolving = null
        })
        await resolving
      }
      const healthy = current.filter(({ isEjected }) => !isEjected)
      const among = healthy.length > 0 ? healthy : current
      picks += 1
      return among[picks % among.length] as Replica
    },
    hasOther,
    heard: (replica, isUnavailable) => {
      replica.heardAt = performance.now()
      replica.failures = isUnavailable ? replica.failures + 1 : 0
      if (replica.failures >= failuresMax) eject(replica)
    },
    failed: (replica, isRefused) => {
      replica.failures += 1
      if (isRefused || replica.failures >= failuresMax) eject(replica)
    },
    suspect: async (replica, since) => {
      if (replica.heardAt >= since || replica.isEjected || !hasOther(replica)) return
      if (!(await answersProbe(replica))) eject(replica)
    },
    [Symbol.dispose]: () => {
      isDisposed = true
    },
  }
}

async function lookUp(url: string): Promise<Replica[]> {
  const { hostname, port } = new URL(url)
  // A literal IPv6 address has brackets in a URL.
  const found = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true })
  return found.map(({ address }) => ({
    host: address,
    port: Number(port || 80),
    heardAt: 0,
    failures: 0,
    isEjected: false,
  }))
}

function isSame(left: Replica, right: Replica): boolean {
  return left.host === right.host && left.port === right.port
}

/** Returns whether the process answers at all: a slow call alone is no sign of a hung replica. */
function answersProbe({ host, port }: Replica): Promise<boolean> {
  const signal = AbortSignal.timeout(probeTimeoutMs)
  const probe = get({ host, port, path: '/healthz', agent: false, signal })
  return new Promise((resolve) => {
    probe.on('response', (response) => {
      response.resume()
      resolve(true)
    })
    probe.on('error', () => resolve(false))
  })
}
