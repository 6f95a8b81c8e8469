/** Oldest supported major version of Postgres (docs/running/servers.md). */
const postgresMajorMin = 16

/** Oldest supported version of NATS: the first with consumers that filter by several subjects. */
const natsMin = [2, 10] as const

/**
 * Returns why a version of Postgres is not supported; null if it is. Takes `server_version_num`,
 * such as 180004 for 18.4.
 */
export function postgresVersionFault(versionNumber: string): string | null {
  const major = Math.floor(Number(versionNumber) / 10_000)
  if (major >= postgresMajorMin) return null
  return `it is version ${major}, and Coffer needs ${postgresMajorMin} or newer`
}

/** Returns why a version of NATS, such as 2.15.2, is not supported; null if it is. */
export function natsVersionFault(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [majorMin, minorMin] = natsMin
  if (major > majorMin || (major === majorMin && minor >= minorMin)) return null
  return `it is version ${version}, and Coffer needs ${natsMin.join('.')} or newer`
}
