import { aggregatorAddresses, settings } from '@coffer/aggregator-sync/config'
import { type Environment, readSettings } from '@coffer/host/settings'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { z } from 'zod'
import { savedDemo } from '../demo/person.ts'
import { BankAccount, Link } from '../demo/replies.ts'
import { createRest, isRefused, type Rest, requireServer, signIn } from '../demo/rest.ts'
import { readConfig } from '../environment.ts'
import { readPassword } from './password.ts'
import { createSandbox, type Sandbox } from './plaid-sandbox.ts'

const Token = z.object({ linkToken: z.string() })
const Created = z.object({ linkId: z.string() })
/** The server answers after 30 s: ten times are five minutes. */
const waitsMax = 10

/**
 * `coffer aggregator:link`: links a bank of the sandbox of Plaid, or of the simulated Plaid, as a
 * page with Plaid Link would; waits for the first sync, and prints the bank accounts. Returns 1 if
 * they are not set up within five minutes. Throws FatalError when the server or Plaid refuses.
 */
export async function linkAggregator(
  options: {
    server?: string
    email?: string
    secret?: string
    clientId?: string
    institution: string
  },
  env: Environment,
): Promise<number> {
  const { environment, dataDir, port } = readConfig(env)
  const config = readSettings(settings, environment)
  const sandbox = createSandbox({
    url: config.aggregatorUrl,
    clientId: options.clientId ?? config.clientId,
    secret: options.secret ?? config.clientSecret,
  })
  const credentials = options.email
    ? { email: options.email, password: await readPassword(process.stdin) }
    : demoCredentials(dataDir)
  const baseUrl = await requireServer(options.server ?? `http://127.0.0.1:${port}`)
  const rest = createRest(baseUrl, await signIn(baseUrl, credentials))
  try {
    const { webhookUrl } = aggregatorAddresses(config)
    return await link(rest, sandbox, { webhookUrl, institutionId: options.institution })
  } finally {
    await rest.get('/authentication/logout', z.unknown())
  }
}

async function link(
  rest: Rest,
  sandbox: Sandbox,
  of: { webhookUrl: string | null; institutionId: string },
): Promise<number> {
  await rest.get('/aggregator/token/new', Token)
  const choice = await sandbox.choose(of)
  const { linkId } = await rest.post('/aggregator/token/callback', choice, Created)
  const { institutionName } = await rest.get(`/links/${linkId}`, Link)
  console.log(`Link           ${linkId}   ${institutionName}`)
  const isSetUp = await waitForSetUp(rest, linkId)
  const accounts = await rest.get('/bank_accounts', z.array(BankAccount))
  for (const one of accounts.filter((account) => account.linkId === linkId)) {
    console.log(`Bank account   ${one.bankAccountId}   ${one.name}`)
  }
  if (!isSetUp) {
    console.error('Plaid has not read the transactions in time: they arrive later.')
    return 1
  }
  console.log(`\nSync it again:\n  npm run coffer -- sync ${linkId}`)
  return 0
}

/** Waits until the first sync has ended; returns whether it has. */
async function waitForSetUp(rest: Rest, linkId: string): Promise<boolean> {
  const path = `/aggregator/link/setup/wait/${linkId}`
  for (let waits = 0; waits < waitsMax; waits += 1) {
    if (!(await isRefused(rest.get(path, z.unknown()), [408]))) return true
  }
  return false
}

function demoCredentials(dataDir: string): { email: string; password: string } {
  const saved = savedDemo(dataDir)
  if (!saved) throw new FatalError('No login: give one with --email, or load "coffer demo".')
  const { email, password } = saved
  return { email, password }
}
