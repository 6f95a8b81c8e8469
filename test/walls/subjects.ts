import { serviceNames } from '@coffer/cli/settings/service-names'
import { auditConsumerOf, natsPermissions, type Permissions } from '@coffer/host/events/permissions'
import { errors, type NatsConnection } from '@nats-io/transport-node'

/** Returns whether a pattern of NATS covers a subject; `>` stands for the rest of it. */
export function covers(pattern: string, subject: string): boolean {
  return pattern.endsWith('.>') ? subject.startsWith(pattern.slice(0, -1)) : pattern === subject
}

/**
 * Returns the subjects that the user of a part may neither publish nor subscribe to: those that
 * other parts may, requests about the stream, and requests about consumers of every name.
 */
export function foreignSubjects(prefix: string, part: string): Permissions {
  const all = natsPermissions(prefix, serviceNames)
  const own = all[part] ?? { publish: [], subscribe: [] }
  const others = Object.values(all)
  const published = [...others.flatMap(({ publish }) => publish.map(example)), ...requests(prefix)]
  const isForeign = (subject: string) => !own.publish.some((pattern) => covers(pattern, subject))
  const wide = ['>', '_INBOX.>', '$JS.API.>', `${prefix}.>`]
  const subscribed = [...others.flatMap(({ subscribe }) => subscribe), ...wide]
  return {
    publish: [...new Set(published)].filter(isForeign),
    subscribe: [...new Set(subscribed)].filter((subject) => !own.subscribe.includes(subject)),
  }
}

const example = (pattern: string) => pattern.replace(/>$/, 'x.y')

const ofStream = [
  'STREAM.DELETE',
  'STREAM.PURGE',
  'STREAM.MSG.DELETE',
  'STREAM.UPDATE',
  'STREAM.SNAPSHOT',
  'STREAM.RESTORE',
  'STREAM.LEADER.STEPDOWN',
  'DIRECT.GET',
]
const ofOthers = ['STREAM.CREATE', 'STREAM.INFO', 'STREAM.DELETE']
const ofConsumers = ['CREATE', 'DURABLE.CREATE', 'DELETE', 'INFO', 'MSG.NEXT', 'RESET', 'PAUSE']

function requests(prefix: string): string[] {
  const stream = prefix.toUpperCase()
  const consumers = [...serviceNames, ...serviceNames.map(auditConsumerOf), 'another']
  return [
    'another.subject',
    ...ofStream.map((verb) => `$JS.API.${verb}.${stream}`),
    ...ofConsumers.flatMap((verb) =>
      consumers.map((name) => `$JS.API.CONSUMER.${verb}.${stream}.${name}`),
    ),
    ...ofOthers.map((verb) => `$JS.API.${verb}.ANOTHER`),
  ]
}

/** Returns a list that gets the subjects which NATS refuses to a connection. */
export function watchRefusals(connection: NatsConnection): string[] {
  const refused: string[] = []
  const watch = async () => {
    for await (const status of connection.status()) {
      if (status.type !== 'error') continue
      const { error } = status
      if (error instanceof errors.PermissionViolationError) refused.push(error.subject)
    }
  }
  void watch()
  return refused
}
