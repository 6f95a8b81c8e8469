import { type Environment, readSettings } from '@coffer/host/settings'
import { createUser } from '@coffer/identity/accounts/user-creation.service'
import { settings } from '@coffer/identity/config'
import { startPasswords } from '@coffer/identity/sign-in/password-pool.client'
import type { NewPerson } from '@coffer/identity/sign-in/registration'
import { problemsOf, refusalOf } from '@coffer/kit/rpc/errors'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { ConnectError } from '@connectrpc/connect'
import { readConfig } from '../settings/environment.ts'
import { connectIdentity, printPasswordLink } from './login.ts'

const options: Record<keyof NewPerson, string> = {
  email: '--email',
  firstName: '--first-name',
  lastName: '--last-name',
  timezone: '--timezone',
  locale: '--locale',
}

/**
 * `coffer user:create`: creates login, account and owner, and prints a link that sets the password.
 * Throws FatalError for a malformed option or an address in use.
 */
export async function create(person: NewPerson, env: Environment): Promise<undefined> {
  const config = readConfig(env)
  await using database = await connectIdentity(config)
  await using passwords = startPasswords(1)
  const identity = readSettings(settings, config.environment)
  const deps = { config: identity, database, passwords, clock: () => new Date() }
  const created = await createUser(deps, person).catch((error) => {
    throw faultOf(error, person.email)
  })
  printPasswordLink(config, created)
  console.error(`Account ${created.accountId}.`)
}

/**
 * Returns the refusal of a new user's data as one line with the names of the options; other errors
 * unchanged.
 */
function faultOf(error: unknown, email: string): unknown {
  if (!(error instanceof ConnectError)) return error
  if (refusalOf(error)?.code === 'EMAIL_IN_USE') {
    return new FatalError(`A login has the address ${email} already.`)
  }
  const faults = Object.entries(problemsOf(error) ?? {}).map(
    ([field, problem]) => `${options[field as keyof NewPerson]}: ${problem}`,
  )
  return faults.length === 0 ? error : new FatalError(`${faults.join('; ')}.`)
}
