import { getPriority, platform, setPriority } from 'node:os'
import { hashSync, verifySync } from '@node-rs/argon2'

/** Hash a password, or say whether it fits a hash; none fits null, after the same time. */
type Task = { password: string; hash?: string | null }

// Argon2id is the library's default; 19 MiB, two passes and one lane are OWASP's minimum.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

// Of this thread alone, on Linux: in a storm of sign-ins requests have their turn first.
if (platform() === 'linux') setPriority(Math.min(19, getPriority() + 5))

const decoy = hashSync('no login has this password', cost)

/** Runs in a worker thread: each task keeps a core busy for some milliseconds. */
export function run({ password, hash }: Task): string | boolean {
  if (hash === undefined) return hashSync(password, cost)
  return verifySync(hash ?? decoy, password) && hash !== null
}
