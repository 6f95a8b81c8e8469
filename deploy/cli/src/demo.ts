import type { Environment } from '@coffer/kit/config'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { z } from 'zod'
import { reasonOf } from './databases.ts'
import { loadDemo } from './demo/load.ts'
import { missingForDemo } from './demo/needs.ts'
import { demoPerson, saveDemo, savedDemo } from './demo/person.ts'
import { Balances, Offered, Spending } from './demo/replies.ts'
import { openRest, type Rest } from './demo/rest.ts'
import { household } from './demo/story.ts'
import { summaryText } from './demo/summary.ts'
import { welcomeText } from './demo/welcome.ts'
import { readConfig } from './environment.ts'

/** `coffer demo`: loads the demo data into a running server and shows it. */
export async function demo(options: { url?: string }, env: Environment): Promise<undefined> {
  const { dataDir, port } = readConfig(env)
  const baseUrl = (options.url ?? `http://127.0.0.1:${port}`).replace(/\/+$/, '')
  await requireServer(baseUrl)
  const { rest, bankAccountId } = await prepareDemo(baseUrl, dataDir)
  await showDemo({ baseUrl, dataDir, rest, bankAccountId })
}

/** After the start: the demo data on the first one, and always how to call the server. */
export async function greet(baseUrl: string, dataDir: string): Promise<void> {
  const saved = savedDemo(dataDir)
  if (saved?.bankAccountId !== undefined) {
    console.log(welcomeText(baseUrl, saved))
    return
  }
  console.log('demo: loading a household with half a year of transactions')
  const { rest, bankAccountId } = await prepareDemo(baseUrl, dataDir)
  await showDemo({ baseUrl, dataDir, rest, bankAccountId })
}

async function prepareDemo(
  baseUrl: string,
  dataDir: string,
): Promise<{ rest: Rest; bankAccountId: string }> {
  await requireOffered(baseUrl, dataDir)
  const { saved, rest } = await demoPerson(baseUrl, dataDir)
  const bankAccountId = await loadDemo(rest, new Date())
  saveDemo(dataDir, { ...saved, bankAccountId })
  return { rest, bankAccountId }
}

/** Asked first, so that nothing is half made where the demo cannot be loaded. */
async function requireOffered(baseUrl: string, dataDir: string): Promise<void> {
  const offered = await openRest(baseUrl).get('/config', Offered)
  const missing = missingForDemo(offered, { whenNew: savedDemo(dataDir)?.key === undefined })
  if (missing !== null) {
    throw new FatalError(missing)
  }
}

async function showDemo(options: {
  baseUrl: string
  dataDir: string
  rest: Rest
  bankAccountId: string
}): Promise<void> {
  const { baseUrl, dataDir, rest, bankAccountId } = options
  const balances = await rest.get(`/bank_accounts/${bankAccountId}/balances`, Balances)
  const spending = await rest.get(`/bank_accounts/${bankAccountId}/spending`, z.array(Spending))
  console.log(`\n${summaryText({ balances, spending, timezone: household.timezone })}\n`)
  const saved = savedDemo(dataDir)
  if (saved !== null) {
    console.log(welcomeText(baseUrl, saved))
  }
}

async function requireServer(baseUrl: string): Promise<void> {
  try {
    await openRest(baseUrl).get('/health', z.unknown())
  } catch (error) {
    const { cause } = error as Error
    const reason = reasonOf(cause ?? error)
    throw new FatalError(`No server at ${baseUrl}: ${reason}. Start one with "npm start".`)
  }
}
