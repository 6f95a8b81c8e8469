import type { Command } from 'commander'
import { createAdd, type Run } from './command-line.ts'

/** Adds the commands that operators use on logins; each is imported when it runs. */
export function addLoginCommands(program: Command, run: Run): void {
  const commands = () => import('../commands/login.ts')
  const emailOption = ['--email <address>', 'email address of the login'] as const
  add(program, 'user:create', 'create a login with an account; prints a link to set the password')
    .requiredOption(...emailOption)
    .requiredOption('--first-name <name>', 'first name of the person')
    .option('--last-name <name>', 'last name of the person', '')
    .option('--timezone <name>', 'IANA timezone of its days, which cannot change', 'UTC')
    .option('--locale <locale>', 'language and country, for the currency', 'en_US')
    .action(run(async (options, env) => (await import('../commands/user.ts')).create(options, env)))
  add(program, 'login:reset-password', 'print a link that sets a new password')
    .requiredOption(...emailOption)
    .action(run(async (options, env) => (await commands()).resetPassword(options, env)))
  add(program, 'login:reset-second-factor', 'remove authenticator and recovery codes of a login')
    .requiredOption(...emailOption)
    .action(run(async (options, env) => (await commands()).resetFactor(options, env)))
  add(program, 'login:disable', 'disable a login: its sessions end, its API keys are refused')
    .requiredOption(...emailOption)
    .action(run(async (options, env) => (await commands()).disable(options, env)))
  add(program, 'login:enable', 'enable a disabled login')
    .requiredOption(...emailOption)
    .action(run(async (options, env) => (await commands()).enable(options, env)))
  add(program, 'login:end-sessions', 'end the sessions of one login, or of all logins')
    .option(...emailOption)
    .option('--all', 'end the sessions of every login')
    .action(run(async (options, env) => (await commands()).endLoginSessions(options, env)))
  add(program, 'login:expire-password', 'refuse sign-in of a login until its password is changed')
    .requiredOption(...emailOption)
    .action(run(async (options, env) => (await commands()).expire(options, env)))
  add(program, 'beta:new-code', 'print a code for one registration').action(
    run(async (_, env) => (await commands()).newBetaCode(env)),
  )
}

const help = {
  'user:create': `
Works while sign-up is off, without mail, and beside running servers. The address counts as
verified. The link works once, for COFFER_VERIFY_LINK_MINUTES (a day).

Example:
  $ coffer user:create --email ann@example.com --first-name Ann --timezone Europe/Berlin \\
      --locale de_DE`,
  'login:reset-password': `
The link works once, for ten minutes, at COFFER_EXTERNAL_URL. A second factor stays enabled, and
wrong codes that were counted or have locked it are forgotten.

Example:
  $ coffer login:reset-password --email ann@example.com`,
  'login:reset-second-factor': `
For a person who has lost the authenticator and the recovery codes, or whose codes are locked. Make
sure who asks: the password alone signs in afterwards. Running servers refuse the sessions within a
second. The person gets a mail, if mail is on, and sets up an authenticator anew.

Example:
  $ coffer login:reset-second-factor --email ann@example.com`,
  'login:disable': `
Running servers refuse the login within a second. Its data is kept.

Example:
  $ coffer login:disable --email ann@example.com`,
  'login:enable': `
Its API keys work again. Its sessions stay ended.

Example:
  $ coffer login:enable --email ann@example.com`,
  'login:end-sessions': `
Running servers refuse the sessions within a second. API keys stay.

Example:
  $ coffer login:end-sessions --email ann@example.com`,
  'login:expire-password': `
Where passwords can be reset by mail, a sign-in with the right password is answered with a token
that changes it; elsewhere it is refused. Sessions and API keys stay.

Example:
  $ coffer login:expire-password --email ann@example.com`,
  'beta:new-code': `
Registration needs a code while COFFER_BETA_CODES_ENABLED is true. A code is valid for 14 days.

Example:
  $ coffer beta:new-code`,
}

const add = createAdd(help)
