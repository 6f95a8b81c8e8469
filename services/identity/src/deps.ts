import type { Database } from '@coffer/kit/database/database'
import type { Signer } from '@coffer/kit/rpc/caller'
import type { Secrets } from '@coffer/kit/secrets/secrets'
import type { ValuesOf } from '@coffer/kit/service/config'
import type { Billing } from './billing/billing.client.ts'
import type { settings } from './config.ts'
import type { Passwords } from './sign-in/password-pool.client.ts'

export interface IdentityDeps {
  config: ValuesOf<typeof settings>
  database: Database
  passwords: Passwords
  secrets: Secrets
  /** Client of Stripe; null while billing is off. */
  billing: Billing | null
  /** Signs caller tokens; the key of proof-of-work challenges is derived from its signing key. */
  signer: Signer
  clock: () => Date
}
