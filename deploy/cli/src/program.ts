import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Environment, SettingsError } from '@coffer/kit/service/config'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { Argument, Command, CommanderError, InvalidArgumentError } from 'commander'
import { calls } from './service-names.ts'

/** What a command does; its number is the exit code, 0 when it returns none. */
type Action = (env: Environment) => Promise<number | undefined>

const usageExitCode = 2

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/**
 * Runs one `coffer` command. What the user can mend is one line on standard error.
 *
 * @returns the exit code: 0 done, 1 failed or (audit) faults found, 2 wrong use or a bad setting
 */
export async function runProgram(args: string[], env: Environment): Promise<number> {
  let exitCode = 0
  const program = createProgram(async (action) => {
    exitCode = (await action(env)) ?? 0
  })
  try {
    refuseUnknown(program, args)
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? 0 : usageExitCode
    }
    if (error instanceof SettingsError || error instanceof FatalError) {
      console.error(error.message)
      return error instanceof SettingsError ? usageExitCode : 1
    }
    const { syscall, address, port, code } = error as NodeJS.ErrnoException & Listening
    if (syscall === 'listen') {
      console.error(`COFFER_HOST: cannot listen on ${address}:${port} (${code})`)
      return usageExitCode
    }
    throw error
  }
}

/** Commander answers `--help` before it looks whether there is such a command. */
function refuseUnknown(program: Command, [name]: string[]): void {
  const isKnown = program.commands.some((command) => command.name() === name)
  if (name !== undefined && /^[^-]/.test(name) && !isKnown) {
    program.error(`error: unknown command '${name}'`)
  }
}

type Listening = { address?: string; port?: number }

/** The command line; each command's code is loaded when it is called, so that help is quick. */
function createProgram(run: (action: Action) => Promise<void>): Command {
  const program = new Command('coffer')
    .description('A personal budgeting service: runs it and looks after it.')
    .version(version)
    .exitOverride()
    .helpCommand(false)
    .addHelpText('after', help.program)
  addServe(program, run)
  program
    .command('migrate')
    .description('bring the tables of every service up to date')
    .addHelpText('after', help.migrate)
    .action(() => run(async (env) => (await import('./commands/migrate.ts')).migrateTables(env)))
  program
    .command('config')
    .description('print every setting with its value and where it comes from')
    .option('--markdown', 'print the table of the README: names, defaults, meanings')
    .addHelpText('after', help.config)
    .action((options) =>
      run(async (env) => (await import('./commands/show.ts')).showConfig(options, env)),
    )
  program
    .command('audit')
    .description('recompute what must be true of the money, and print what is not')
    .addHelpText('after', help.audit)
    .action(() => run(async (env) => (await import('./commands/audit.ts')).audit(env)))
  program
    .command('replay')
    .description('publish kept changes and current states again, for a NATS that has lost them')
    .option(
      '--since <time>',
      'only changes from then on (RFC 3339); all that are kept otherwise',
      time,
    )
    .addHelpText('after', help.replay)
    .action((options) =>
      run(async (env) => (await import('./commands/replay.ts')).replay(options, env)),
    )
  program
    .command('demo')
    .description('load the demo data into a running server, and show it')
    .option('--url <url>', 'address of the server; this machine and COFFER_PORT when left out')
    .addHelpText('after', help.demo)
    .action((options) => run(async (env) => (await import('./demo.ts')).demo(options, env)))
  program
    .command('keys:create')
    .description('make the keys that are missing in the keys folder; replaces none')
    .option('--lost <key>', 'note that this key of secrets is gone for good, and do without it')
    .addHelpText('after', help.createKeys)
    .action((options) =>
      run(async (env) => (await import('./commands/keys.ts')).createKeys(options, env)),
    )
  program
    .command('keys:rotate')
    .description('encrypt every secret under the key in use now; a key file is replaced first')
    .option('--finish', 'replace no key: only see to secrets that are under a former one')
    .addHelpText('after', help.rotateKeys)
    .action((options) =>
      run(async (env) => (await import('./commands/keys.ts')).rotateKeys(options, env)),
    )
  addLogins(program, run)
  return program
}

function addLogins(program: Command, run: (action: Action) => Promise<void>): void {
  const emailOption = ['--email <address>', 'email address of the login'] as const
  program
    .command('login:reset-password')
    .description('print a link by which somebody can set a new password')
    .requiredOption(...emailOption)
    .addHelpText('after', help.resetPassword)
    .action((options) =>
      run(async (env) => (await import('./commands/login.ts')).resetPassword(options, env)),
    )
  program
    .command('login:disable')
    .description('keep somebody out: sessions end, keys are refused')
    .requiredOption(...emailOption)
    .addHelpText('after', help.disableLogin)
    .action((options) =>
      run(async (env) => (await import('./commands/login.ts')).disable(options, env)),
    )
  program
    .command('login:enable')
    .description('let somebody in again who was disabled')
    .requiredOption(...emailOption)
    .addHelpText('after', help.enableLogin)
    .action((options) =>
      run(async (env) => (await import('./commands/login.ts')).enable(options, env)),
    )
  program
    .command('login:end-sessions')
    .description('end the sessions of a login, or of all: they have to sign in again')
    .option(...emailOption)
    .option('--all', 'of every login')
    .addHelpText('after', help.endSessions)
    .action((options) =>
      run(async (env) => (await import('./commands/login.ts')).endSessionsOf(options, env)),
    )
  program
    .command('login:expire-password')
    .description('let somebody sign in only after setting a new password')
    .requiredOption(...emailOption)
    .addHelpText('after', help.expirePassword)
    .action((options) =>
      run(async (env) => (await import('./commands/login.ts')).expire(options, env)),
    )
  program
    .command('beta:new-code')
    .description('print a code that lets somebody register once')
    .addHelpText('after', help.betaCode)
    .action(() => run(async (env) => (await import('./commands/login.ts')).newBetaCode(env)))
}

function addServe(program: Command, run: (action: Action) => Promise<void>): void {
  program
    .command('serve')
    .description('run services in this process; all of them and the gateway when none is named')
    .addArgument(new Argument('[services...]', 'what to run here').choices(Object.keys(calls)))
    .option('--migrate', 'bring their tables up to date first')
    .option('--demo', 'load the demo data on the first start, and print how to call the service')
    .addHelpText('after', help.serve)
    .action((names, options) =>
      run(async (env) => (await import('./commands/serve.ts')).serve({ names, ...options }, env)),
    )
}

function time(text: string): Date {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) {
    throw new InvalidArgumentError('not a time such as 2026-11-21T10:00:00Z')
  }
  return date
}

const help = {
  program: `
Settings come from environment variables: see "coffer config".
On a fresh machine "npm start" runs everything, its database included.`,
  serve: `
Examples:
  $ coffer serve --migrate              everything in one process
  $ coffer serve ledger budgeting       two services; COFFER_IDENTITY_URL and so on lead to others
  $ coffer serve gateway                the REST API alone

On SIGTERM or SIGINT it is not ready any more, serves on for COFFER_LAME_DUCK_SECONDS, and ends
after the requests, calls and jobs in hand are finished, within 15 s.`,
  migrate: `
Each service has a schema of its own. Safe to run at any time and from several machines at once.

Example:
  $ COFFER_DATABASE_URL=postgres://coffer@db/coffer coffer migrate`,
  config: `
While "npm start" runs, these are the settings of its server. Passwords and other secrets are not
shown.

Example:
  $ coffer config | grep PORT`,
  audit: `
Stored amounts equal their journal, totals equal their envelopes, plans match them. Reads only, and
may run beside the services. Exits with 1 when it finds something.

Example:
  $ coffer audit && echo clean`,
  replay: `
Nothing happens twice: readers apply states by version and remember the effects they have had.
Services may run meanwhile.

Example:
  $ coffer replay --since 2026-11-01T00:00:00Z`,
  resetPassword: `
The link works once, for ten minutes, at COFFER_EXTERNAL_URL. A second factor stays enabled.

Example:
  $ coffer login:reset-password --email ann@example.com`,
  disableLogin: `
Running servers refuse within a second. What belongs to the login is kept.

Example:
  $ coffer login:disable --email ann@example.com`,
  enableLogin: `
Its keys work again; its sessions have ended.

Example:
  $ coffer login:enable --email ann@example.com`,
  endSessions: `
Running servers refuse within a second. API keys stay.

Example:
  $ coffer login:end-sessions --email ann@example.com`,
  expirePassword: `
A sign-in with the right password is answered with a token that changes it, where passwords can be
reset by mail, and is refused otherwise. Sessions and keys stay.

Example:
  $ coffer login:expire-password --email ann@example.com`,
  betaCode: `
Asked for when somebody registers while COFFER_BETA_CODES_ENABLED is true. Works for 14 days.

Example:
  $ coffer beta:new-code`,
  createKeys: `
For deployments on several machines, and for folders that servers cannot write to: otherwise the
first start makes the keys. Makes <service>.key and <service>.pub of the gateway and every service,
and secrets.key unless KMS or Vault keeps that key. Needs no server. See docs/keys.md.

With --lost, servers start although secrets in the database need a key whose file is lost. These
secrets stay closed: authenticators, bank connections and feed keys have to be set up again.

Examples:
  $ COFFER_KEYS_DIR=/etc/coffer/keys coffer keys:create
  $ coffer keys:create --lost local:0123456789abcdef`,
  rotateKeys: `
Servers may run meanwhile, and it can be ended and run again. Also moves secrets from a key file to
AWS KMS or Vault, and back: set COFFER_KEY_SERVICE first, here and for the servers, and keep the
settings of both until it is done.

Examples:
  $ coffer keys:rotate
  $ coffer keys:rotate --finish`,
  demo: `
Registers demo@example.com, uploads a bank's export, makes schedules and envelopes, and keeps the
password and an API key in demo.json of the data directory. Run twice, it changes nothing more.
The server must allow sign-up and uploads.

Example:
  $ coffer demo --url http://127.0.0.1:4000`,
}
