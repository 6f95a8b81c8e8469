import type { ValuesOf } from '@coffer/kit/config'
import type { Database } from '@coffer/kit/database'
import type { Secrets } from '@coffer/kit/secrets'
import { defineService } from '@coffer/kit/service'
import { ApiKeyService } from '@coffer/proto/identity/v1/api_key'
import { BillingService } from '@coffer/proto/identity/v1/billing'
import { MultifactorService } from '@coffer/proto/identity/v1/multifactor'
import { PasswordService } from '@coffer/proto/identity/v1/password'
import { SessionService } from '@coffer/proto/identity/v1/session'
import { SignInService } from '@coffer/proto/identity/v1/sign_in'
import { UserService } from '@coffer/proto/identity/v1/user'
import { apiKeys } from './api-key.rpc.ts'
import { type Billing, openBilling } from './billing.client.ts'
import { billingRoutes } from './billing.rpc.ts'
import { requireBilling, settings } from './config.ts'
import { credentials } from './credential.rpc.ts'
import { multifactor } from './multifactor.rpc.ts'
import { password } from './password.rpc.ts'
import { type Passwords, startPasswords } from './password.worker.ts'
import { registration } from './registration.rpc.ts'
import { sessions } from './session.rpc.ts'
import { signIn } from './sign-in.rpc.ts'
import { users } from './user.rpc.ts'

/** What identity's RPCs use. */
export interface IdentityDeps {
  config: ValuesOf<typeof settings>
  database: Database
  passwords: Passwords
  secrets: Secrets
  /** Null where it is off. */
  billing: Billing | null
  clock: () => Date
}

/** Logins, users, accounts, sessions and API keys. */
export const identity = defineService({
  name: 'identity',
  schema: 'identity',
  migrations: new URL('../migrations', import.meta.url),
  settings,
  create: ({ config, database, secrets, clock }) => {
    const passwords = startPasswords(config.passwordHashesAtOnce)
    requireBilling(config)
    const billing = config.billed ? openBilling(config) : null
    const deps = { config, database, passwords, secrets, billing, clock }
    return {
      routes: (router) => {
        router.service(SignInService, {
          ...registration(deps),
          ...signIn(deps),
          ...credentials(deps),
        })
        router.service(MultifactorService, multifactor(deps))
        router.service(PasswordService, password(deps))
        router.service(SessionService, sessions(deps))
        router.service(UserService, users(deps))
        router.service(ApiKeyService, apiKeys(deps))
        router.service(BillingService, billingRoutes(deps))
      },
    }
  },
})
