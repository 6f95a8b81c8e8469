import { once } from 'node:events'
import { get } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Timeout of a probe, as a multiple of the interval of probes: a busy replica answers late. */
const timeoutProbes = 3

/** Consecutive probes without an answer after which a replica gets no new connections. */
const unansweredMax = 2

/**
 * Consecutive probes without an answer after which a replica counts as hung: its connections are
 * reset.
 */
const hungMax = 5

/** A replica behind the balancer. */
export interface Target {
  /** Base URL to which connections are forwarded. */
  url: string
  /** URL that answers a GET with 200 while the replica is ready. */
  probeUrl: string
}

export interface BalancerOptions {
  targets: Target[]
  host?: string
  /** Port to listen on; 0 chooses a free port. */
  port: number
  /** Interval in ms of the probes; 1 s by default. */
  probeMs?: number
}

/** A running balancer. Disposing closes all its connections. */
export interface Balancer extends AsyncDisposable {
  url: string
  /** Returns the URLs of the replicas that get new connections. */
  inRotation: () => string[]
}

/** A target with the results of its probes. */
interface Probed extends Target {
  isReady: boolean
  /** Whether it answered the last probe, with any HTTP status. */
  isAnswering: boolean
  /** Consecutive probes without an answer in time. */
  unanswered: number
  /** Open connections of clients to this replica. */
  clients: Set<Socket>
}

/**
 * Starts a TCP load balancer: round robin over ready replicas, like a Kubernetes Service with
 * readiness probes. Fail-open: if no replica is ready, replicas that answer their probes get
 * connections, since a stopping replica still serves. A connection stays on its replica. It is
 * reset when it fails, or its replica hangs; nothing is retried. Rejects when the port is in use.
 */
export async function startBalancer(options: BalancerOptions): Promise<Balancer> {
  const { host = '127.0.0.1', probeMs = 1_000 } = options
  const targets = options.targets.map(
    (target): Probed => ({
      ...target,
      isReady: false,
      isAnswering: false,
      unanswered: 0,
      clients: new Set(),
    }),
  )
  const sockets = new Set<Socket>()
  const inRotation = () => targets.filter(({ isReady }) => isReady)
  let picks = 0
  const server = createServer({ noDelay: true }, (near) => {
    const ready = inRotation()
    const among = ready.length > 0 ? ready : targets.filter(({ isAnswering }) => isAnswering)
    const target = among[picks % among.length]
    picks += 1
    forward(near, target, sockets)
  })
  server.listen(options.port, host)
  await once(server, 'listening')
  const timer = setInterval(() => {
    for (const target of targets) void probe(target, probeMs)
  }, probeMs)
  await Promise.all(targets.map((target) => probe(target, probeMs)))
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    inRotation: () => inRotation().map(({ url }) => url),
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      for (const socket of sockets) socket.destroy()
      await once(server.close(), 'close')
    },
  }
}

/** Forwards a connection to a replica. Resets it without a replica, or if the replica resets. */
function forward(near: Socket, target: Probed | undefined, sockets: Set<Socket>): void {
  if (!target) {
    near.resetAndDestroy()
    return
  }
  const { hostname, port } = new URL(target.url)
  const far = connect({ host: hostname, port: Number(port), noDelay: true })
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    sockets.add(from)
    // `pipe` forwards only the regular end of a connection, so a lost one is forwarded as a reset.
    from.pipe(to)
    from.on('error', () => to.resetAndDestroy())
    from.once('close', () => sockets.delete(from))
  }
  target.clients.add(near)
  near.once('close', () => {
    target.clients.delete(near)
    far.destroy()
  })
}

/**
 * Probes a replica once. A single answer or lost connection sets whether the replica is ready; a
 * timeout counts only after several in a row, because a busy replica answers late.
 */
async function probe(target: Probed, everyMs: number): Promise<void> {
  const status = await statusOf(target.probeUrl, timeoutProbes * everyMs)
  target.isAnswering = typeof status === 'number'
  target.unanswered = status === 'late' ? target.unanswered + 1 : 0
  if (status !== 'late') target.isReady = status === 200
  if (target.unanswered >= unansweredMax) target.isReady = false
  // Resets the connections of a hung replica, whose clients would wait without end. Those of a
  // replica that is only not ready stay: a stopping process finishes their requests.
  if (target.unanswered >= hungMax) for (const one of target.clients) one.resetAndDestroy()
}

/** Returns the status of the answer; `late` after the timeout, `lost` without a connection. */
function statusOf(url: string, timeoutMs: number): Promise<number | 'late' | 'lost'> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const request = get(url, { agent: false, signal })
    request.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 'lost')
    })
    request.on('error', () => resolve(signal.aborted ? 'late' : 'lost'))
  })
}
