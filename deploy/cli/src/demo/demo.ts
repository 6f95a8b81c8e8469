import { CofferError, createClient, sessionOf } from '@coffer/client'
import type { Environment } from '@coffer/host/settings'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { explain, isRefused, requireServer } from '../rest/server.ts'
import { readConfig } from '../settings/environment.ts'
import { loadDemo } from './load.ts'
import { demoPerson, type Saved, saveDemo, savedDemo } from './person.ts'
import { household } from './story.ts'
import { addressText, missingForDemo, summaryText, welcomeText } from './texts.ts'

/**
 * `coffer demo`: loads the demo data into a running server; prints a summary of the data and how to
 * call the server. Throws FatalError when no server answers, or its settings do not allow the demo.
 */
export async function demo(options: { url?: string }, env: Environment): Promise<undefined> {
  const { dataDir, port, externalUrl } = readConfig(env)
  const baseUrl = await requireServer(options.url ?? `http://127.0.0.1:${port}`)
  const publicUrl = options.url ? baseUrl : externalUrl || baseUrl
  await explain(loadAndShow({ baseUrl, publicUrl, dataDir }), 'The demo could not be loaded')
}

/**
 * Loads the demo data on the first start, and prints how to call the server on every start. A
 * failure is printed, not thrown.
 */
export async function greet(server: Server): Promise<void> {
  try {
    await loadAtFirst(server)
  } catch (error) {
    console.error(`demo: ${error instanceof Error ? error.message : error}`)
  }
}

async function loadAtFirst(server: Server): Promise<void> {
  const saved = savedDemo(server.dataDir)
  if (saved?.bankAccountId === undefined) {
    console.log('demo: loading a household with half a year of transactions')
    await loadAndShow(server)
  } else if (await isDeleted(server.baseUrl, saved)) {
    console.log(addressText(server.publicUrl))
    console.log('demo: its data was deleted; "coffer demo" loads it again')
  } else {
    await welcome(server, saved)
  }
}

export type Server = {
  /** URL, without `/api`, at which this process calls the server. */
  baseUrl: string
  /** URL, without `/api`, that is printed for users of the server. */
  publicUrl: string
  dataDir: string
}

async function loadAndShow({ baseUrl, publicUrl, dataDir }: Server): Promise<void> {
  await requireOffered(baseUrl, dataDir)
  const { saved, coffer } = await demoPerson(baseUrl, dataDir)
  const bankAccountId = await loadDemo(coffer, new Date())
  const loaded = { ...saved, bankAccountId }
  saveDemo(dataDir, loaded)
  const path = { bankAccountId }
  const { data: balances } = await coffer.getBalances({ path })
  const { data: spending } = await coffer.listSpending({ path })
  console.log(`\n${summaryText({ balances, spending, timezone: household.timezone })}\n`)
  await welcome({ baseUrl, publicUrl, dataDir }, loaded)
}

/** Returns whether the demo's login or bank account is deleted: the server answers 401 or 404. */
async function isDeleted(baseUrl: string, { key, bankAccountId }: Saved): Promise<boolean> {
  const coffer = createClient({ baseUrl, ...(key ? { key } : {}) })
  const path = { bankAccountId: bankAccountId ?? '' }
  return isRefused(coffer.getBankAccount({ path }), [401, 404])
}

/** Prints the credentials of the demo, without the saved password if it was changed. */
async function welcome({ baseUrl, publicUrl }: Server, saved: Saved): Promise<void> {
  const password = (await isPasswordCurrent(baseUrl, saved)) ? saved.password : null
  console.log(welcomeText(publicUrl, { ...saved, password }))
}

/** Returns false if the server refuses the login with the saved password (401). */
async function isPasswordCurrent(baseUrl: string, saved: Saved): Promise<boolean> {
  const { email, password } = saved
  try {
    const answer = await createClient({ baseUrl }).signIn({ body: { email, password } })
    await createClient({ baseUrl, session: sessionOf(answer) }).signOut()
    return true
  } catch (error) {
    if (error instanceof CofferError) return error.status !== 401
    throw error
  }
}

/** Throws FatalError, before the first write, if the server's settings do not allow the demo. */
async function requireOffered(baseUrl: string, dataDir: string): Promise<void> {
  const { data: offered } = await createClient({ baseUrl }).getConfig()
  const missing = missingForDemo(offered, { whenNew: savedDemo(dataDir)?.key === undefined })
  if (missing !== null) throw new FatalError(missing)
}
