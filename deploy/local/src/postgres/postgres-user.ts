import { readFileSync } from 'node:fs'
import { FatalError } from '../../bootstrap/fatal-error.mjs'

export type SystemUser = { uid: number; gid: number }

const candidates = ['postgres', 'nobody']

/**
 * Returns the user for Postgres, which refuses to run as root. Undefined means the current user, if
 * this process does not run as root. Throws FatalError as root, when /etc/passwd has neither
 * `postgres` nor `nobody`.
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
