import { readFileSync } from 'node:fs'
import { FatalError } from '../../bootstrap/fatal-error.mjs'

export type SystemUser = { uid: number; gid: number }

const candidates = ['postgres', 'nobody']

/**
 * Returns the Unix user that runs Postgres: if Coffer runs as root, `postgres` or else `nobody`,
 * because Postgres does not start as root; otherwise undefined for the current user. Throws
 * FatalError when root starts Coffer on a machine without these two users.
 */
export function serverUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const name of candidates) {
    const [, , uid, gid] = users.find(([user]) => user === name) ?? []
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new FatalError(
    `Postgres refuses to run as root, and there is no user ${candidates.join(' or ')}. ` +
      'Run Coffer as another user, or set COFFER_DATABASE_URL.',
  )
}
