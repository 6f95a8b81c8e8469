import { listCommands } from '@coffer/cli/program/program'
import { serviceNames } from '@coffer/cli/settings/service-names'

/** Commands that open no server of Coffer: they print, or create files of the data directory. */
const offline = ['config', 'nats:permissions', 'keys:create']

/** Commands that send requests of a user to the REST API, with credentials that they are given. */
const overRest = [
  'demo',
  'feed:link',
  'feed:watch',
  'aggregator:link',
  'aggregator:refresh',
  'sync',
]

const names = listCommands().map((command) => command.name())

/** Commands that a part's environment may run: those of its own data alone. */
const ofPart: Record<string, readonly string[]> = {
  identity: ['user:create', 'beta:new-code', ...names.filter((name) => name.startsWith('login:'))],
  ledger: ['files:move'],
  'aggregator-sync': ['aggregator:webhook'],
}

/** An archive of `coffer backup`, its keys, and the path of a file that is not there. */
export interface Archive {
  archive: string
  recipient: string
  /** File of the secret key. */
  identity: string
  absent: string
}

/**
 * Returns the arguments of every command that the environment of a part must not be able to run,
 * with a value for each required option. A new command is among them.
 */
export function foreignCommands(part: string, files: Archive): string[][] {
  const samples: Record<string, string> = {
    '--email': 'ann@example.com',
    '--to': files.absent,
    '--from': files.archive,
  }
  const extra: Record<string, readonly string[]> = {
    'login:end-sessions': ['--all'],
    migrate: ['--roles'],
    backup: ['--recipient', files.recipient],
    restore: ['--identity', files.identity],
  }
  // Without a database, an archive is restored into a new Postgres of the data directory.
  const ofItself = part === 'gateway' ? ['restore'] : []
  const allowed = [...offline, ...overRest, ...(ofPart[part] ?? []), ...ofItself, 'serve']
  const foreign = listCommands().filter((command) => !allowed.includes(command.name()))
  const others = serviceNames.filter((name) => name !== part)
  return [
    ...others.map((name) => ['serve', name]),
    ...foreign.map((command) => {
      const options = command.options.filter(({ mandatory }) => mandatory)
      const given = options.flatMap(({ long }) => [long ?? '', samples[long ?? ''] ?? 'x'])
      const words = command.registeredArguments.filter(({ required }) => required).map(() => 'x')
      return [command.name(), ...words, ...given, ...(extra[command.name()] ?? [])]
    }),
  ]
}
