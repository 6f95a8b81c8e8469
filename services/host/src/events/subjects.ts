/** Returns the NATS subject prefix of a service: without hyphens, like its protobuf package. */
export function subjectSpace(serviceName: string): string {
  return serviceName.replaceAll('-', '')
}

/** Returns the subject of the heartbeats that the replicas of a part send each other. */
export function aliveSubjectOf(prefix: string, part: string): string {
  return `${prefix}.alive.${part}`
}

/** Returns the name of a deployment's JetStream stream of changes: the prefix in capitals. */
export function streamNameOf(prefix: string): string {
  return prefix.toUpperCase()
}
