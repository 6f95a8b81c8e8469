import type { Environment } from '@coffer/host/settings'
import { SettingsError } from '@coffer/kit/service/config'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { Argument, Command, CommanderError, InvalidArgumentError } from 'commander'
import type { BackupOptions } from '../commands/backup.ts'
import type { RestoreOptions } from '../commands/restore.ts'
import type { ServeOptions } from '../commands/serve.ts'
import { withoutServiceLinks } from '../settings/service-links.ts'
import { calls } from '../settings/service-names.ts'
import { version } from '../settings/version.ts'
import { addBankCommands } from './banks.ts'
import { createAdd, type Run } from './command-line.ts'
import { addLoginCommands } from './logins.ts'

const usageExitCode = 2
/** SQLSTATE insufficient_privilege, for example of a URL with the role of another service. */
const refusedState = '42501'

/**
 * Runs one `coffer` command; an error that the user can correct is one line on standard error.
 * Returns the exit code: 0 success, 1 failure or audit findings, 2 wrong usage or settings.
 */
export async function runProgram(args: string[], env: Environment): Promise<number> {
  let exitCode = 0
  const settings = withoutServiceLinks(env)
  const program = createProgram((action) => async (options) => {
    exitCode = (await action(options, settings)) ?? 0
  })
  try {
    refuseUnknown(program, args)
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode
    if (error instanceof SettingsError || error instanceof FatalError) {
      console.error(error.message)
      return error instanceof SettingsError ? usageExitCode : 1
    }
    const { code, message } = error as NodeJS.ErrnoException
    if (code === refusedState) {
      console.error(
        `The role of this database URL may not use these tables: ${message}. Run the command ` +
          'with the URL of the service that owns them, or with that of the owner of all.',
      )
      return 1
    }
    throw error
  }
}

/** Returns all commands with their options, for tests that try every command. */
export function listCommands(): readonly Command[] {
  return createProgram(() => async () => {}).commands
}

/** Refuses unknown commands first, because Commander prints help for `unknown --help`. */
function refuseUnknown(program: Command, [name]: string[]): void {
  const isKnown = program.commands.some((command) => command.name() === name)
  if (name !== undefined && /^[^-]/.test(name) && !isKnown) {
    program.error(`error: unknown command '${name}'`)
  }
}

/** Creates the command line. Commands are imported dynamically: `--help` loads none of them. */
function createProgram(run: Run): Command {
  const program = new Command('coffer')
    .description('A personal budgeting service: commands that run and operate it.')
    .version(version)
    .exitOverride()
    .helpCommand(false)
    .addHelpText('after', programHelp)
  const serve = run<ServeOptions>(async (options, env) => {
    return (await import('../commands/serve.ts')).serve(options, env)
  })
  add(program, 'serve', 'run services in this process; all services and the gateway by default')
    .addArgument(new Argument('[services...]', 'services to run').choices(Object.keys(calls)))
    .option('--migrate', 'bring their tables up to date first')
    .option('--demo', 'load the demo data on the first start, and print how to call the API')
    .action((names, options) => serve({ names, ...options }))
  add(program, 'migrate', 'bring the tables of every service up to date')
    .option('--roles', 'also create or update the role of each service')
    .action(
      run(async (options, env) =>
        (await import('../commands/migrate.ts')).migrateTables(options, env),
      ),
    )
  add(program, 'config', 'print every setting with its value and source')
    .option('--markdown', 'print the table of the README: names, defaults, meanings')
    .action(
      run(async (options, env) => (await import('../commands/show.ts')).showConfig(options, env)),
    )
  addBackups(program, run)
  add(program, 'audit', 'check the invariants of the money, and print each violation').action(
    run(async (_, env) => (await import('../commands/audit.ts')).audit(env)),
  )
  addEvents(program, run)
  add(program, 'demo', 'load the demo data into a running server, and print it')
    .option('--url <url>', 'address of the server; default: COFFER_PORT on this machine')
    .action(run(async (options, env) => (await import('../demo/demo.ts')).demo(options, env)))
  add(
    program,
    'files:move',
    'copy uploaded files from disk to the bucket of COFFER_STORAGE',
  ).action(run(async (_, env) => (await import('../commands/files.ts')).moveFiles(env)))
  add(program, 'keys:create', 'create the missing keys of the keys folder; replaces none')
    .option('--lost <key>', 'record that this encryption key is lost, so that servers start')
    .option('--parts <folder>', 'copy to <folder>/<part> the keys that each part needs, no others')
    .action(
      run(async (options, env) => (await import('../commands/keys.ts')).createKeys(options, env)),
    )
  add(
    program,
    'keys:rotate',
    'encrypt every secret under the current key; replaces a key file first',
  )
    .option('--finish', 'replace no key: only encrypt secrets again that are under a former key')
    .option('--signing', 'create next signing keys instead; with --finish, sign with them')
    .action(
      run(async (options, env) => (await import('../commands/keys.ts')).rotateKeys(options, env)),
    )
  addBankCommands(program, run)
  addLoginCommands(program, run)
  return program
}

function addEvents(program: Command, run: Run): void {
  add(program, 'replay', 'publish kept changes and current states again, after NATS has lost them')
    .option('--since <time>', 'only changes since this time (RFC 3339); default: all kept', time)
    .action(
      run(async (options, env) => (await import('../commands/replay.ts')).replay(options, env)),
    )
  add(program, 'nats:permissions', 'print the users of NATS and what each part may do there')
    .option('--nsc', 'print the commands that create them in an account of nsc or Synadia')
    .action(
      run(async (options, env) =>
        (await import('../commands/nats.ts')).printPermissions(options, env),
      ),
    )
}

function addBackups(program: Command, run: Run): void {
  const passphraseOption = [
    '--passphrase-file <file>',
    'file whose first line is the passphrase',
  ] as const
  add(program, 'backup', 'write all rows, files and, if asked, keys into one encrypted archive')
    .requiredOption('--to <file>', 'the archive, a new file or s3://bucket/folder/')
    .option('--recipient <key...>', 'public keys of age (age1…) that can decrypt it')
    .option(...passphraseOption)
    .option('--with-keys', 'also the keys folder, without which sealed secrets are lost')
    .option('--check', 'look whether the place can take an archive, and write none')
    .action(
      run<BackupOptions>(async (options, env) =>
        (await import('../commands/backup.ts')).backUp(options, env),
      ),
    )
  add(program, 'restore', 'load an archive of "coffer backup" into empty databases')
    .requiredOption('--from <file>', 'the archive, a file or s3://bucket/key')
    .option('--identity <file>', 'file with secret keys of age (AGE-SECRET-KEY-…)')
    .option(...passphraseOption)
    .action(
      run<RestoreOptions>(async (options, env) =>
        (await import('../commands/restore.ts')).restore(options, env),
      ),
    )
}

function time(text: string): Date {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) {
    throw new InvalidArgumentError('not a time such as 2026-11-21T10:00:00Z')
  }
  return date
}

const programHelp = `
Settings come from environment variables: see "coffer config".
On a fresh machine "npm start" runs everything, its database included.`

const help = {
  serve: `
Examples:
  $ coffer serve --migrate              everything in one process
  $ coffer serve ledger budgeting       two services; COFFER_IDENTITY_URL is the address of a third
  $ coffer serve gateway                the REST API alone

On SIGTERM or SIGINT it reports not ready and serves for COFFER_LAME_DUCK_SECONDS. It ends when
requests, calls and jobs in progress are finished, at most 15 s later.`,
  migrate: `
Each service has a schema of its own. Safe to run at any time and from several machines at once.
With --roles each service has a role of its own too, which can use its schema alone. Its name and
password are in COFFER_<SERVICE>_DATABASE_URL; COFFER_DIRECT_DATABASE_URL is that of the owner.

Examples:
  $ COFFER_DATABASE_URL=postgres://coffer@db/coffer coffer migrate
  $ coffer migrate --roles`,
  config: `
While "npm start" runs, these are the settings of its server. Passwords and other secrets are not
shown.

Example:
  $ coffer config | grep PORT`,
  audit: `
Checks that stored amounts equal their journal, totals equal their envelopes, and plans match the
ledger. Reads only, and may run beside the services. Exits with 1 when it finds a violation.

Example:
  $ coffer audit && echo clean`,
  backup: `
Services may run meanwhile: the rows are those of one moment. Encrypted by age (age-encryption.org);
the program age decrypts it too. Without --with-keys, keep a copy of the keys folder elsewhere.

Examples:
  $ coffer backup --to coffer.age --recipient age1…
  $ coffer backup --to s3://coffer-backups/nightly/ --recipient age1…
  $ coffer backup --to coffer.age --passphrase-file /etc/coffer/passphrase --with-keys`,
  restore: `
Before the services of a new machine start for the first time. Reads the whole archive first, and
changes nothing when it is damaged, of a later version, or when a table has rows. Services that
start then go on with all work and publish all changes into the new NATS. Without
COFFER_DATABASE_URL the rows go into the data directory, for "npm start".

Example:
  $ coffer restore --from coffer.age --identity age.key`,
  replay: `
Consumers are idempotent: they compare versions and record the messages they have applied. Services
may run meanwhile.

Example:
  $ coffer replay --since 2026-11-01T00:00:00Z`,
  'nats:permissions': `
Prints the block "authorization" of a configuration of NATS, with a user <prefix>-<part> for each
part and one for operators. The passwords are variables NATS_PASSWORD_<PART> of its environment.

Examples:
  $ coffer nats:permissions > users.conf     then in nats.conf: include users.conf
  $ coffer nats:permissions --nsc            users with credentials, also for Synadia Cloud`,
  'files:move': `
Needs COFFER_STORAGE=s3 with its bucket, and COFFER_DATA_DIR with the files. Files that are in the
bucket are left out, so the command can be interrupted and run again. See docs/files.md.

Example:
  $ COFFER_STORAGE=s3 COFFER_STORAGE_BUCKET=coffer-files coffer files:move`,
  'keys:create': `
For deployments on several machines, and for folders that servers cannot write; otherwise the first
start creates the keys. Creates <service>.key and <service>.pub of the gateway and every service,
and secrets.key unless KMS or Vault keeps that key. Needs no server. See docs/running/keys.md.

With --lost, servers start although secrets in the database need a key whose file is lost. These
secrets stay unreadable: set up authenticators, bank connections and feed keys again.

Examples:
  $ COFFER_KEYS_DIR=/etc/coffer/keys coffer keys:create
  $ coffer keys:create --lost local:0123456789abcdef
  $ coffer keys:create --parts /keys`,
  'keys:rotate': `
Servers may run meanwhile. The command can be interrupted and run again. It also moves secrets from
a key file to AWS KMS or Vault, and back: first set COFFER_KEY_SERVICE, for this command and for the
servers, and keep the settings of both until the command is done.

Examples:
  $ coffer keys:rotate
  $ coffer keys:rotate --finish
  $ coffer keys:rotate --signing`,
  demo: `
Registers demo@example.com, uploads a bank's export, creates schedules and envelopes, and saves the
password and an API key in demo.json of the data directory. A second run changes nothing. The server
must allow sign-up and uploads.

Example:
  $ coffer demo --url http://127.0.0.1:4000`,
}

const add = createAdd(help)
