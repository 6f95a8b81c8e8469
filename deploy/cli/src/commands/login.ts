import { settings as gatewaySettings } from '@coffer/gateway/config'
import { type Environment, readSettings } from '@coffer/host/settings'
import {
  disableLogin,
  enableLogin,
  endSessions,
  expirePassword,
  issueBetaCode,
  issuePasswordReset,
  resetSecondFactor,
} from '@coffer/identity/accounts/operator.service'
import { endEverySession } from '@coffer/identity/book/session.sql'
import { settings as identitySettings } from '@coffer/identity/config'
import { mailedLinkUrl } from '@coffer/identity/mail/mailed-link'
import { identity } from '@coffer/identity/service'
import type { Database } from '@coffer/kit/database/database'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { createServiceDatabase } from '../process/databases.ts'
import { requireTables } from '../process/tables.ts'
import { type Config, readConfig } from '../settings/environment.ts'

/**
 * `coffer login:reset-password`: prints a link that sets a new password of the login. Throws
 * FatalError for an unknown address or a disabled login.
 */
export async function resetPassword(
  { email }: { email: string },
  env: Environment,
): Promise<undefined> {
  const config = readConfig(env)
  await using database = await connectIdentity(config)
  const { resetLinkMinutes: minutes } = readSettings(identitySettings, config.environment)
  const reset = await issuePasswordReset(database, email, { now: new Date(), minutes })
  if (!reset) throw unknownLogin(email)
  if (reset.isDisabled) {
    throw new FatalError(`${email} is disabled: run "coffer login:enable" first.`)
  }
  if (reset.hasAuthenticator) {
    console.error(`${email} still needs a code of the authenticator, or a recovery code.`)
  }
  printPasswordLink(config, reset)
}

/** Prints the link of a token that sets a password, and its expiry. */
export function printPasswordLink(
  config: Config,
  { token, expiresAt }: { token: string; expiresAt: Date },
): void {
  const { externalUrl } = readSettings(gatewaySettings, config.environment)
  const base = externalUrl || `http://127.0.0.1:${config.port}`
  console.log(mailedLinkUrl(base, '/password/reset', token))
  console.error(`Works once, until ${expiresAt.toISOString()}.`)
}

/**
 * `coffer login:reset-second-factor`: removes authenticator and recovery codes of a login, and ends
 * its sessions. Throws FatalError for an unknown address.
 */
export async function resetFactor(
  { email }: { email: string },
  env: Environment,
): Promise<undefined> {
  const { environment } = readConfig(env)
  await using database = await connectIdentity(readConfig(env))
  const config = readSettings(identitySettings, environment)
  const reset = await resetSecondFactor({ database, config, clock: () => new Date() }, email)
  if (!reset) throw unknownLogin(email)
  const text = reset.hadFactor ? 'signs in by the password alone' : 'has no second factor'
  console.log(`${email} ${text}`)
}

/** `coffer login:disable`: disables a login. Throws FatalError for an unknown address. */
export async function disable({ email }: { email: string }, env: Environment): Promise<undefined> {
  await using database = await connectIdentity(readConfig(env))
  if (!(await disableLogin(database, email, new Date()))) throw unknownLogin(email)
  console.log(`${email} is disabled`)
}

/** `coffer login:enable`: enables a disabled login. Throws FatalError for an unknown address. */
export async function enable({ email }: { email: string }, env: Environment): Promise<undefined> {
  await using database = await connectIdentity(readConfig(env))
  if (!(await enableLogin(database, email))) throw unknownLogin(email)
  console.log(`${email} is enabled`)
}

/**
 * `coffer login:end-sessions`: ends the sessions of one login, or with `all` of every login. Throws
 * FatalError for an unknown address, and unless exactly one option is given.
 */
export async function endLoginSessions(
  { email, all = false }: { email?: string; all?: boolean },
  env: Environment,
): Promise<undefined> {
  if ((email === undefined) !== all) throw new FatalError('Give either --email or --all.')
  await using database = await connectIdentity(readConfig(env))
  if (email === undefined) await endEverySession(database)
  else if (!(await endSessions(database, email))) throw unknownLogin(email)
  console.log(`${email ?? 'every login'} has to sign in again`)
}

/**
 * `coffer login:expire-password`: refuses sign-in of a login until its password is changed. Throws
 * FatalError for an unknown address.
 */
export async function expire({ email }: { email: string }, env: Environment): Promise<undefined> {
  await using database = await connectIdentity(readConfig(env))
  if (!(await expirePassword(database, email))) throw unknownLogin(email)
  console.log(`${email} has to set a new password`)
}

/** `coffer beta:new-code`: prints a code for one registration. */
export async function newBetaCode(env: Environment): Promise<undefined> {
  await using database = await connectIdentity(readConfig(env))
  const { code, expiresAt } = await issueBetaCode(database, new Date())
  console.log(code)
  console.error(`Works once, until ${expiresAt.toISOString()}.`)
}

/** Connects to the database of identity. Throws FatalError unless all migrations are applied. */
export async function connectIdentity(config: Config): Promise<Database> {
  await requireTables([identity], config)
  return createServiceDatabase(identity, config)
}

function unknownLogin(email: string): FatalError {
  return new FatalError(`No login has the address ${email}.`)
}
