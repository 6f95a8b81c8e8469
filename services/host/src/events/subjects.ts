/** Returns the NATS subject prefix of a service: without hyphens, like its protobuf package. */
export function subjectSpace(serviceName: string): string {
  return serviceName.replaceAll('-', '')
}

/** Returns the subject on which the replicas of a part tell each other that they live. */
export function aliveSubjectOf(prefix: string, part: string): string {
  return `${prefix}.alive.${part}`
}

/** Returns the name of the stream of a deployment's changes, by its prefix of subjects. */
export function streamNameOf(prefix: string): string {
  return prefix.toUpperCase()
}
