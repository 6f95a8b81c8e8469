/** Returns the NATS subject prefix of a service: without hyphens, like its protobuf package. */
export function subjectSpace(serviceName: string): string {
  return serviceName.replaceAll('-', '')
}

/** Returns the name of the stream of a deployment's changes, by its prefix of subjects. */
export function streamNameOf(prefix: string): string {
  return prefix.toUpperCase()
}
