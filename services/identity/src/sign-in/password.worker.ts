import { getPriority, platform, setPriority } from 'node:os'
import { hashSync, verifySync } from '@node-rs/argon2'

/** A password to hash, or to verify if `hash` is set. A null hash never matches, in equal time. */
type Task = { password: string; hash?: string | null }

// Argon2id (the library's default) at OWASP's minimum: 19 MiB, two passes, one lane.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

// Lowers the priority of this thread (Linux has one per thread), so that the event loop runs first.
if (platform() === 'linux') setPriority(Math.min(19, getPriority() + 5))

const decoy = hashSync('no login has this password', cost)

/** Returns the hash, or whether the password matches. Blocks its worker thread for milliseconds. */
export function run({ password, hash }: Task): string | boolean {
  if (hash === undefined) return hashSync(password, cost)
  return verifySync(hash ?? decoy, password) && hash !== null
}
