import {
  createCounter,
  createGauge,
  createHistogram,
  createWatchedGauge,
} from '@coffer/kit/telemetry/meter'
import './telemetry/meter.ts'

/** Sets 1 for each part that this process runs: the gateway, or a service. */
export const setPart = createGauge({
  name: 'coffer_part_info',
  help: '1 for each part (gateway or service) that the process runs, with its version.',
  labelNames: ['part', 'version'],
})

/** Records the seconds of an RPC by service, method and code: `ok`, or that of the error. */
export const observeRpcSeconds = createHistogram({
  name: 'coffer_rpc_seconds',
  help: 'Time an RPC took in its service, by outcome.',
  labelNames: ['service', 'method', 'code'],
})

/** Counts messages that failed for good (dead letters), by consumer. */
export const countDeadLetters = createCounter({
  name: 'coffer_dead_letters_total',
  help: 'Dead letters, by consumer; "relay" counts changes that are too large for NATS.',
  labelNames: ['consumer'],
})

/** Counts messages that the stream of NATS has lost one by one, by service; alert on increases. */
export const countSequenceHoles = createCounter({
  name: 'coffer_sequence_holes_total',
  help: 'Messages missing in the stream of NATS and published again, by service.',
  labelNames: ['service'],
})

/** Counts losses of the stream of NATS, of its end or its beginning, by service. */
export const countStreamLosses = createCounter({
  name: 'coffer_stream_losses_total',
  help: 'Times that NATS had lost its stream or a part of it, by service.',
  labelNames: ['service'],
})

/** Counts losses of a durable consumer, or of the end of its stream, by consumer. */
export const countConsumerResets = createCounter({
  name: 'coffer_consumer_resets_total',
  help: 'Times that a consumer was created again, because NATS had lost it or messages before it.',
  labelNames: ['consumer'],
})

/** Counts calls that a service refused as unauthenticated, by RPC service. */
export const countRefusedCallers = createCounter({
  name: 'coffer_refused_callers_total',
  help: 'Calls refused as unauthenticated by a service: clocks or signing keys differ.',
  labelNames: ['service'],
})

/** Counts peers that the handshake of mutual TLS between processes refused. */
export const countRefusedPeers = createCounter({
  name: 'coffer_refused_peers_total',
  help: 'Connections refused in the handshake of mutual TLS: no certificate of the deployment.',
})

/** Sets the instant until which the certificate for calls between processes is valid. */
export const setCertificateEnd = createGauge({
  name: 'coffer_certificate_end_seconds',
  help: 'End of the certificate for calls between processes, in seconds since 1970.',
})

/** Sets the number of committed changes in the outbox that are not published yet, by service. */
export const setRelayBacklog = createGauge({
  name: 'coffer_relay_backlog',
  help: 'Changes the relay found unpublished in its last round, by service.',
  labelNames: ['service'],
})

/**
 * Exports, until disposed, whether a server or a service is away. The label `service` names the
 * service that is away, or the one whose database is; it is empty for NATS and Temporal.
 */
export const watchAway = createWatchedGauge({
  name: 'coffer_away',
  help: '1 while a server (postgres, nats, temporal) or a service does not answer, or refuses.',
  labelNames: ['server', 'service'],
})

/** Sets the seconds by which this process's clock differs from a database's, by service. */
export const setClockSkew = createGauge({
  name: 'coffer_clock_skew_seconds',
  help: "Seconds by which the clock of this process is ahead of a database's, by service.",
  labelNames: ['service'],
})

/** Counts a fail-over or restore of a database that a process has noticed. */
export const countDatabaseRestore = createCounter({
  name: 'coffer_database_restores_total',
  help: 'Times that a database may lack commits: it failed over or was restored, by service.',
  labelNames: ['service'],
})

/** Records the seconds that a statement or transaction waited for a connection, by schema. */
export const observeConnectionWait = createHistogram({
  name: 'coffer_database_wait_seconds',
  help: 'Time a statement or transaction waited for a connection, by schema.',
  labelNames: ['schema'],
  buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 3, 10],
})

/** Counts workflows that failed for good, by type. */
export const countWorkflowFailures = createCounter({
  name: 'coffer_workflow_failures_total',
  help: 'Workflows that failed, by type.',
  labelNames: ['workflow'],
})

/** Counts failed attempts of activities, by type and whether Temporal repeats them. */
export const countActivityFailures = createCounter({
  name: 'coffer_activity_failures_total',
  help: 'Failed attempts of activities; outcome "final" is not repeated, "repeated" is.',
  labelNames: ['activity', 'outcome'],
})
