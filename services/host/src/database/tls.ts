// TLS parameters of Postgres URLs, with the names of libpq.

const modes = ['disable', 'no-verify', 'require', 'verify-ca', 'verify-full'] as const

/** Mode of TLS to Postgres. */
export type Mode = (typeof modes)[number]

const refused = `is not supported: use one of ${modes.join(', ')}`

/** Reasons for refusing the modes of libpq that fall back to a connection without TLS. */
const fallbacks: Record<string, string> = {
  allow: 'falls back to a connection without TLS: use verify-full, or disable',
  prefer: 'falls back to a connection without TLS: use verify-full, or disable',
}

/** Returns why the TLS parameters of a Postgres URL cannot be used; null if they can. */
export function tlsFault(url: string): string | null {
  if (!URL.canParse(url)) return 'must be a URL, postgres://user:password@host:5432/database'
  const { searchParams: given } = new URL(url)
  const mode = given.get('sslmode')
  if (mode !== null && !(modes as readonly string[]).includes(mode)) {
    return `sslmode=${mode} ${fallbacks[mode] ?? refused}`
  }
  if (given.has('sslcert') !== given.has('sslkey')) return 'sslcert and sslkey need each other'
  const files = ['sslrootcert', 'sslcert'].filter((name) => given.has(name))
  const isUnverified = mode === 'disable' || mode === 'no-verify'
  if (isUnverified && files.includes('sslrootcert')) return `sslmode=${mode} ignores sslrootcert`
  return mode === 'disable' && files.length > 0 ? 'sslmode=disable ignores sslcert' : null
}

/**
 * Returns the URL with a file of CA certificates (verify-full unless the URL has another mode).
 * Returned unchanged: URLs that have their own CA, switch TLS or verification off, or use a Unix
 * socket.
 */
export function withCa(url: string, file: string | undefined): string {
  const located = new URL(url)
  const { searchParams } = located
  const isUnverified = ['disable', 'no-verify'].includes(searchParams.get('sslmode') ?? '')
  const isOwn = searchParams.has('sslrootcert') || isUnverified || isSocket(located)
  if (file === undefined || isOwn) return url
  searchParams.set('sslrootcert', file)
  return located.href
}

/** Returns whether a URL's host is the directory of a Unix socket, percent-encoded. */
export function isSocket({ hostname, searchParams }: URL): boolean {
  const host = decodeURIComponent(hostname) || (searchParams.get('host') ?? '')
  return host.startsWith('/')
}
