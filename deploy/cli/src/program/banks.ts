import type { Command } from 'commander'
import type { KeyOptions } from '../commands/aggregator-items.ts'
import type { ServerOptions } from '../commands/feed.ts'
import { createAdd, type Run } from './command-line.ts'

/** Adds the commands that link banks, and those that sync links. */
export function addBankCommands(program: Command, run: Run): void {
  const commands = () => import('../commands/feed.ts')
  const serverOption = ['--server <url>', 'address of Coffer; default: this machine'] as const
  const keyOption = ['--api-key <id:secret>', 'API key; default: that of the demo'] as const
  add(program, 'feed:link', 'link the bank accounts that a feed provider offers')
    .requiredOption('--url <url>', 'base URL of the provider, which COFFER_FEED_ALLOWED_URLS has')
    .requiredOption('--key <key>', 'API key of the provider')
    .option('--name <name>', 'name of the link', 'My banks')
    .option(...serverOption)
    .option(...keyOption)
    .action(run(async (options, env) => (await commands()).linkFeed(options, env)))
  const watch = run<ServerOptions & { linkId: string }>(async (options, env) => {
    return (await commands()).watchFeed(options, env)
  })
  add(program, 'feed:watch', 'print the state of the syncs of a feed link, and the progress of one')
    .argument('<linkId>', 'ID of the link')
    .option(...serverOption)
    .option(...keyOption)
    .action((linkId, options) => watch({ linkId, ...options }))
  const linkAggregator = run<{ institution: string }>(async (options, env) => {
    return (await import('../commands/aggregator.ts')).linkAggregator(options, env)
  })
  add(program, 'aggregator:link', 'link a test bank of the sandbox of Plaid')
    .option('--client-id <id>', 'client ID at Plaid; default: COFFER_AGGREGATOR_CLIENT_ID')
    .option('--secret <secret>', 'secret at Plaid; default: COFFER_AGGREGATOR_CLIENT_SECRET')
    .option('--institution <id>', 'ID of the institution at Plaid', 'ins_109508')
    .option('--email <address>', 'login that gets the link; default: the demo')
    .option(...serverOption)
    .action(linkAggregator)
  addItemCommands(program, run)
  const sync = run<{ linkId: string; wait: boolean; whole?: boolean }>(async (options, env) => {
    return (await import('../commands/sync.ts')).syncLink(options, env)
  })
  add(program, 'sync', 'let a running server sync a link, and print what arrived')
    .argument('<linkId>', 'ID of the link')
    .option('--whole', 'read all transactions again, not only the changes')
    .option('--no-wait', 'do not wait for its end')
    .action((linkId, options) => sync({ linkId, ...options }))
}

/** Adds the commands that call Plaid for links. */
function addItemCommands(program: Command, run: Run): void {
  const commands = () => import('../commands/aggregator-items.ts')
  const idOption = ['--client-id <id>', 'client ID at Plaid; default: the setting'] as const
  const secretOption = ['--secret <secret>', 'secret at Plaid; default: the setting'] as const
  const refresh = run<KeyOptions & { linkId: string }>(async (options, env) => {
    return (await commands()).refreshLink(options, env)
  })
  add(program, 'aggregator:refresh', 'let Plaid ask the institution of a link for transactions')
    .argument('<linkId>', 'ID of the link')
    .option(...idOption)
    .option(...secretOption)
    .action((linkId, options) => refresh({ linkId, ...options }))
  const register = run<KeyOptions & { linkId?: string }>(async (options, env) => {
    return (await commands()).registerWebhook(options, env)
  })
  add(program, 'aggregator:webhook', 'register the address of webhooks at Plaid for all links')
    .argument('[linkId]', 'ID of one link; default: all with another address')
    .option(...idOption)
    .option(...secretOption)
    .action((linkId, options) => register({ linkId, ...options }))
}

const help = {
  'feed:link': `
Stores the connection, asks the provider for its bank accounts, and creates a link with those that
are active. Prints how to sync it.

Example:
  $ coffer feed:link --url https://www.lunchflow.app/api/v1 --key 5up3r53cr37`,
  'feed:watch': `
Ends at once if no sync runs or is asked for. Otherwise opens a socket for each bank account, and
ends with the sync, at the latest after five minutes. Exits with 1 if a bank account is not synced.

Example:
  $ coffer feed:watch link_1`,
  'aggregator:link': `
Signs in, creates an item of a test user in the sandbox, and links it as a page with Plaid Link
would. Waits five minutes at most for the first sync. With --email, standard input has the password.
See docs/banks/plaid.md.

Example:
  $ coffer aggregator:link --email ann@example.com < password.txt`,
  sync: `
Unlike the request of a user, it may be repeated within 30 minutes. Waits five minutes at most.
With --whole a link over the aggregator reads its history again: edits of users stay, and what is
stored already is not stored twice. Requested syncs of a feed always do.

Examples:
  $ coffer sync link_1
  $ coffer sync link_1 --whole`,
  'aggregator:refresh': `
Plaid reads most institutions one to four times a day; this asks for one more reading. It is a
product of its own, which Plaid enables for a client, and bills by call. At most twice a minute.

Example:
  $ coffer aggregator:refresh link_1`,
  'aggregator:webhook': `
After a change of COFFER_AGGREGATOR_WEBHOOKS_DOMAIN: first restart the servers with it. Eight calls
run at once, within Plaid's limits. The command may be interrupted: another run goes on with the
links that are left. Exits with 1 if it fails for a link; run it again later.

Examples:
  $ coffer aggregator:webhook
  $ coffer aggregator:webhook link_1`,
}

const add = createAdd(help)
