import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Coffer, CofferError, createClient, sessionOf } from '@coffer/client'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { z } from 'zod'
import { isRefused } from '../rest/server.ts'
import { household } from './story.ts'

const Key = z.object({ apiKeyId: z.string(), secret: z.string() })
const Saved = z.object({
  email: z.string(),
  password: z.string(),
  key: Key.optional(),
  /** ID of the demo's bank account; set when all data is loaded. */
  bankAccountId: z.string().optional(),
})
export type Saved = z.infer<typeof Saved>

/** The demo's login with its API key, saved in `demo.json` of the data directory. */
export type DemoPerson = { saved: Saved & { key: z.infer<typeof Key> }; coffer: Coffer }

/** Returns the login that an earlier run saved; null when there is none. */
export function savedDemo(dataDir: string): Saved | null {
  const path = savedPath(dataDir)
  return existsSync(path) ? Saved.parse(JSON.parse(readFileSync(path, 'utf8'))) : null
}

/** Saves the login atomically, by a rename, in a file that only its owner can read. */
export function saveDemo(dataDir: string, saved: Saved): void {
  const path = savedPath(dataDir)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.new`, `${JSON.stringify(saved, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/**
 * Returns the demo's login with an API key that the server accepts; registers it if no earlier run
 * did. Throws FatalError when sign-up is off, or the login exists and its password is unknown.
 */
export async function demoPerson(baseUrl: string, dataDir: string): Promise<DemoPerson> {
  const known = savedDemo(dataDir)
  if (known?.key !== undefined) {
    const coffer = createClient({ baseUrl, key: known.key })
    const isStale = await isRefused(coffer.listLinks(), [401])
    if (!isStale) return { saved: { ...known, key: known.key }, coffer }
  }
  const saved: Saved = {
    email: household.email,
    password: known?.password ?? randomBytes(12).toString('base64url'),
  }
  // Saved before registration, so that the next run can sign in if this one is interrupted.
  saveDemo(dataDir, saved)
  await register(baseUrl, saved.password)
  const name = `demo ${randomBytes(3).toString('hex')}`
  const signedIn = await signIn(baseUrl, saved, dataDir)
  const key = Key.parse((await signedIn.createApiKey({ body: { name } })).data)
  saveDemo(dataDir, { ...saved, key })
  return { saved: { ...saved, key }, coffer: createClient({ baseUrl, key }) }
}

async function register(baseUrl: string, password: string): Promise<void> {
  const { email, firstName, lastName, timezone, locale } = household
  const body = { email, password, firstName, lastName, timezone, locale }
  // Status 428: the login is registered already, by an interrupted run.
  await isRefused(createClient({ baseUrl }).registerAccount({ body }), [428])
}

async function signIn(
  baseUrl: string,
  { email, password }: Saved,
  dataDir: string,
): Promise<Coffer> {
  try {
    const answer = await createClient({ baseUrl }).signIn({ body: { email, password } })
    return createClient({ baseUrl, session: sessionOf(answer) })
  } catch (error) {
    if (error instanceof CofferError && error.status === 401) {
      throw new FatalError(
        `${email} exists already, and ${savedPath(dataDir)} does not hold its password: ` +
          'delete that account, or restore the file.',
      )
    }
    throw error
  }
}

function savedPath(dataDir: string): string {
  return join(dataDir, 'demo.json')
}
