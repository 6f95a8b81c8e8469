import { aliveSubjectOf, streamNameOf, subjectSpace } from './subjects.ts'

/**
 * Subjects that a user of NATS may publish and subscribe to; all others are refused. Neither list
 * is empty, because NATS allows everything to a user without an allowed subject.
 */
export interface Permissions {
  publish: readonly string[]
  subscribe: readonly string[]
}

/** Services that publish progress, which the gateway forwards to its clients. */
const reporters = ['ledger', 'aggregator-sync', 'feed-sync', 'notices']

/** The only service that may change the settings of the stream. */
const streamKeeper = 'identity'

/** Requests that a service sends about its consumer. */
const ofConsumers = ['CONSUMER.INFO', 'CONSUMER.MSG.NEXT', 'CONSUMER.DELETE']

/**
 * NATS user of commands (`replay`), of processes with several parts, and of operators with a shell.
 */
export const operatorUser = 'operator'

/**
 * Least privilege: returns the permissions of each part's NATS user and of the operator, keyed by
 * part. A service publishes its own changes, progress and dead letters, and uses its own durable
 * consumer. Replicas of a part exchange heartbeats. Only the operator may delete, purge or edit
 * messages, or use a consumer of another service (docs/running/secured-servers.md#users-of-nats).
 */
export function natsPermissions(
  prefix: string,
  serviceNames: readonly string[],
): Record<string, Permissions> {
  const services = serviceNames.map((name) => [name, serviceOf(prefix, name)] as const)
  const all = `${prefix}.>`
  const alive = aliveSubjectOf(prefix, 'gateway')
  return {
    // The gateway reads progress, and publishes only heartbeats.
    gateway: {
      publish: [alive],
      subscribe: [inboxOf('gateway'), `${prefix}.progress.>`, alive],
    },
    ...Object.fromEntries(services),
    [operatorUser]: {
      publish: [all, '$JS.API.>', `$JS.ACK.${streamNameOf(prefix)}.>`],
      subscribe: [inboxOf(operatorUser), all],
    },
  }
}

function serviceOf(prefix: string, name: string): Permissions {
  const stream = streamNameOf(prefix)
  const own = `${prefix}.${subjectSpace(name)}.>`
  const audit = auditConsumerOf(name)
  const api = (verb: string, ...rest: string[]) => ['$JS.API', verb, stream, ...rest].join('.')
  return {
    publish: [
      own,
      aliveSubjectOf(prefix, name),
      `${prefix}.dead.${name}`,
      ...(reporters.includes(name) ? [`${prefix}.progress.>`] : []),
      '$JS.API.INFO',
      api('STREAM.INFO'),
      api('STREAM.CREATE'),
      ...(name === streamKeeper ? [api('STREAM.UPDATE')] : []),
      api('STREAM.MSG.GET'),
      api('CONSUMER.LIST'),
      ...ofConsumers.flatMap((verb) => [api(verb, name), api(verb, audit)]),
      api('CONSUMER.DURABLE.CREATE', name),
      // The subject contains the filter of the audit's consumer, so the service can audit only its
      // own messages.
      api('CONSUMER.CREATE', audit, own),
      `$JS.ACK.${stream}.${name}.>`,
    ],
    subscribe: [inboxOf(name), aliveSubjectOf(prefix, name)],
  }
}

/** Returns the name of the consumer by which a service audits its own changes in the stream. */
export function auditConsumerOf(service: string): string {
  return `${service}-audit`
}

/** Prefix of the subjects of a user's replies, to which no other user may subscribe. */
export function inboxPrefixOf(user: string): string {
  return `_INBOX.${user}`
}

function inboxOf(user: string): string {
  return `${inboxPrefixOf(user)}.>`
}
