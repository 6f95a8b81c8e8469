import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Metrics of the process in the Prometheus text format, served on the RPC port. */
export const registry = new Registry()
collectDefaultMetrics({ register: registry })

const rpcSeconds = new Histogram({
  name: 'coffer_rpc_seconds',
  help: 'Time an RPC took in its service, by outcome.',
  labelNames: ['service', 'method', 'code'],
  buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
  registers: [registry],
})

/** Starts the timer of an RPC; call the result once with the outcome (`ok` or a code). */
export function observeRpc(service: string, method: string): (code: string) => void {
  const startedAt = performance.now()
  return (code) => {
    const series = known(`${service} ${method} ${code}`, () =>
      rpcSeconds.labels({ service, method, code }),
    )
    series.observe((performance.now() - startedAt) / 1000)
  }
}

const httpSeconds = new Histogram({
  name: 'coffer_http_request_seconds',
  help: 'Time a REST request took, by route and status.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
  registers: [registry],
})

/** Records a REST request. `route` is the path with parameter names. */
export function observeHttp(request: {
  method: string
  route: string
  status: number
  seconds: number
}): void {
  const { method, route, status, seconds } = request
  const key = `${method} ${route} ${status}`
  const series = known(key, () => httpSeconds.labels({ method, route, status }))
  series.observe(seconds)
}

type Series = ReturnType<typeof rpcSeconds.labels>

// Cache of labelled series: looking up a series costs more than an observation.
const observed = new Map<string, Series>()

function known(key: string, find: () => Series): Series {
  const series = observed.get(key) ?? find()
  observed.set(key, series)
  return series
}

/** Dead letters; alert on any increase. */
export const deadLetters = new Counter({
  name: 'coffer_dead_letters_total',
  help: 'Dead letters, by consumer; "relay" counts changes that are too large for NATS.',
  labelNames: ['consumer'],
  registers: [registry],
})

/** Committed changes that are not yet published. */
export const relayBacklog = new Gauge({
  name: 'coffer_relay_backlog',
  help: 'Changes the relay found unpublished in its last round, by service.',
  labelNames: ['service'],
  registers: [registry],
})

/** Time that statements and transactions waited for a connection of their pool. */
export const connectionWait = new Histogram({
  name: 'coffer_database_wait_seconds',
  help: 'Time a statement or transaction waited for a connection, by schema.',
  labelNames: ['schema'],
  buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 3, 10],
  registers: [registry],
})
