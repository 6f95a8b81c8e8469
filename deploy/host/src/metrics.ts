import { createDurations, registry } from '@coffer/kit/service/telemetry'
import { Counter, Gauge, Histogram } from 'prom-client'

const observeRpcSeconds = createDurations({
  name: 'coffer_rpc_seconds',
  help: 'Time an RPC took in its service, by outcome.',
  labelNames: ['service', 'method', 'code'],
})

/** Starts timing an RPC; the returned function records its duration under `ok` or an error code. */
export function observeRpc(service: string, method: string): (code: string) => void {
  const startedAt = performance.now()
  return (code) => observeRpcSeconds((performance.now() - startedAt) / 1000, service, method, code)
}

/** Counts messages that failed for good (dead letters); alert on any increase. */
export const deadLetters = new Counter({
  name: 'coffer_dead_letters_total',
  help: 'Dead letters, by consumer; "relay" counts changes that are too large for NATS.',
  labelNames: ['consumer'],
  registers: [registry],
})

/** Counts calls that a service refused as unauthenticated; alert on any increase. */
export const refusedCallers = new Counter({
  name: 'coffer_refused_callers_total',
  help: 'Calls refused as unauthenticated by a service: clocks or signing keys differ.',
  labelNames: ['service'],
  registers: [registry],
})

/** Number of committed changes in the outbox that are not published yet. */
export const relayBacklog = new Gauge({
  name: 'coffer_relay_backlog',
  help: 'Changes the relay found unpublished in its last round, by service.',
  labelNames: ['service'],
  registers: [registry],
})

/** Difference of this process's clock to those of databases; alert above 15 in either direction. */
export const clockSkew = new Gauge({
  name: 'coffer_clock_skew_seconds',
  help: "Seconds by which the clock of this process is ahead of a database's, by service.",
  labelNames: ['service'],
  registers: [registry],
})

/** Seconds that statements and transactions waited for a free connection of their pool. */
export const connectionWait = new Histogram({
  name: 'coffer_database_wait_seconds',
  help: 'Time a statement or transaction waited for a connection, by schema.',
  labelNames: ['schema'],
  buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 3, 10],
  registers: [registry],
})
