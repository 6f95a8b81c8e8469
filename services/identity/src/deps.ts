import type { Database } from '@coffer/kit/database/database'
import type { Signer } from '@coffer/kit/rpc/caller'
import type { Secrets } from '@coffer/kit/secrets/secrets'
import type { ValuesOf } from '@coffer/kit/service/config'
import type { settings } from './config.ts'

/** Dependencies of identity's folders; `service.ts` creates them. */
export interface IdentityDeps {
  config: ValuesOf<typeof settings>
  database: Database
  passwords: Passwords
  secrets: Secrets
  /** Signs caller tokens; the key of proof-of-work challenges is derived from its signing key. */
  signer: Signer
  clock: () => Date
}

/** A pool of worker threads that hash and check passwords, with a bounded queue. */
export interface Passwords extends AsyncDisposable {
  /** Load shedding: throws unavailable if the queue is full. Called before any SQL statement. */
  requireRoom: () => void
  /**
   * Returns an argon2id hash. Throws unavailable if the queue is full, or no thread is free in
   * time. Aborting the signal removes the task from the queue.
   */
  hash: (password: string, signal?: AbortSignal) => Promise<string>
  /** Verifies a password; for a null hash, false after the same time. Throws as `hash` does. */
  matches: (password: string, hash: string | null, signal?: AbortSignal) => Promise<boolean>
}
