import { once } from 'node:events'
import { get } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Failed probes in a row after which a replica gets no new connections. */
const failuresMax = 2

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
  /** Interval and timeout in ms of the probes; 1 s by default. */
  probeMs?: number
}

/** A running balancer. Disposing cuts all its connections. */
export interface Balancer extends AsyncDisposable {
  url: string
  /** Returns the URLs of the replicas that get new connections. */
  inRotation: () => string[]
}

/** A target with its probes. */
interface Probed extends Target {
  isReady: boolean
  failures: number
  /** Connections of clients to it. */
  clients: Set<Socket>
}

/**
 * Starts a TCP load balancer: round robin over the replicas that are ready, as a Service with
 * readiness probes is on Kubernetes. A connection stays on its replica, and one that fails is
 * reset; so are those of a replica that answers no probe at all. Nothing is repeated. Rejects when
 * the port is in use.
 */
export async function startBalancer(options: BalancerOptions): Promise<Balancer> {
  const { host = '127.0.0.1', probeMs = 1_000 } = options
  const targets = options.targets.map(
    (target): Probed => ({ ...target, isReady: false, failures: 0, clients: new Set() }),
  )
  const sockets = new Set<Socket>()
  const inRotation = () => targets.filter(({ isReady }) => isReady)
  let picks = 0
  const server = createServer({ noDelay: true }, (near) => {
    const ready = inRotation()
    const target = ready[picks % ready.length]
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

/** Forwards a connection to a replica; resets it without a replica, or when the replica does. */
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
    // The end of a connection is forwarded by `pipe`, its loss by the reset.
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

/** Probes a replica once: one good answer returns it, two failures in a row take it out. */
async function probe(target: Probed, timeoutMs: number): Promise<void> {
  const status = await statusOf(target.probeUrl, timeoutMs)
  target.failures = status === 200 ? 0 : target.failures + 1
  if (status === 200) target.isReady = true
  if (target.failures < failuresMax) return
  target.isReady = false
  // Its clients would wait for a process that hangs; one that stops finishes their requests.
  if (status === null) for (const client of target.clients) client.resetAndDestroy()
}

/** Returns the status of the answer; null without one. */
function statusOf(url: string, timeoutMs: number): Promise<number | null> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, signal: AbortSignal.timeout(timeoutMs) })
    request.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? null)
    })
    request.on('error', () => resolve(null))
  })
}
