import { aggregatorAddresses, settings } from '@coffer/aggregator-sync/config'
import { type Coffer, createClient, sessionOf } from '@coffer/client'
import { type Environment, readSettings } from '@coffer/host/settings'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { savedDemo } from '../demo/person.ts'
import { setPasswordText } from '../demo/texts.ts'
import { explain, isRefused, requireServer } from '../rest/server.ts'
import { readConfig } from '../settings/environment.ts'
import { readPassword } from './password.ts'
import { createSandbox, type Sandbox } from './plaid-sandbox.ts'

/** Maximum number of polls; the server answers each after 30 s, so this is five minutes. */
const waitsMax = 10

/**
 * `coffer aggregator:link`: links a bank of Plaid's sandbox, or of the simulated Plaid, as a page
 * with Plaid Link would. Waits for the first sync, and prints the bank accounts. Returns 1 if they
 * are not set up within five minutes. Throws FatalError when the server or Plaid refuses.
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
  const { webhookUrl } = aggregatorAddresses(config)
  const signingIn = createClient({ baseUrl }).signIn({ body: credentials })
  const { email } = credentials
  const session = sessionOf(
    await explain(signingIn, `${email} could not sign in`, {
      401:
        `If its password was changed, give --email ${email} with the password on standard ` +
        `input. ${setPasswordText(email)}.`,
    }),
  )
  const coffer = createClient({ baseUrl, session })
  try {
    const linking = link(coffer, sandbox, { webhookUrl, institutionId: options.institution })
    return await explain(linking, 'The bank could not be linked')
  } finally {
    await coffer.signOut()
  }
}

async function link(
  coffer: Coffer,
  sandbox: Sandbox,
  of: { webhookUrl: string | null; institutionId: string },
): Promise<number> {
  await coffer.createLinkToken()
  const choice = await sandbox.choose(of)
  const { linkId } = (await coffer.createAggregatorLink({ body: choice })).data
  const { institutionName } = (await coffer.getLink({ path: { linkId } })).data
  console.log(`Link           ${linkId}   ${institutionName}`)
  const isSetUp = await waitForSetUp(coffer, linkId)
  const accounts = (await coffer.listBankAccounts({ query: { link_id: linkId } })).data ?? []
  for (const { bankAccountId, name } of accounts) {
    console.log(`Bank account   ${bankAccountId}   ${name}`)
  }
  if (!isSetUp) {
    console.error('Plaid has not read the transactions in time: they arrive later.')
    return 1
  }
  console.log(`\nSync it again:\n  npm run coffer -- sync ${linkId}`)
  return 0
}

/** Waits until the first sync has ended; returns whether it has. */
async function waitForSetUp(coffer: Coffer, linkId: string): Promise<boolean> {
  for (let waits = 0; waits < waitsMax; waits += 1) {
    if (!(await isRefused(coffer.waitForLinkSetup({ path: { linkId } }), [408]))) return true
  }
  return false
}

function demoCredentials(dataDir: string): { email: string; password: string } {
  const saved = savedDemo(dataDir)
  if (!saved) throw new FatalError('No login: give one with --email, or load "coffer demo".')
  const { email, password } = saved
  return { email, password }
}
