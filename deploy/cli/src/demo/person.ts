import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Coffer, createClient } from '@coffer/client'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { z } from 'zod'
import { Key } from './replies.ts'
import { createRest, isRefused, Refused, signIn } from './rest.ts'
import { household } from './story.ts'

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

/** Saves the login atomically, by a rename. The file is readable for its owner alone. */
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
  const session = createRest(baseUrl, await enter(baseUrl, saved, dataDir))
  const key = await session.post('/keys', { name: `demo ${randomBytes(3).toString('hex')}` }, Key)
  saveDemo(dataDir, { ...saved, key })
  return { saved: { ...saved, key }, coffer: createClient({ baseUrl, key }) }
}

async function register(baseUrl: string, password: string): Promise<void> {
  const { email, firstName, lastName, timezone, locale } = household
  const body = { email, password, firstName, lastName, timezone, locale }
  const call = createRest(baseUrl).post('/authentication/register', body, z.unknown())
  // Status 428: the login is registered already, by an interrupted run.
  await isRefused(call, [428])
}

async function enter(
  baseUrl: string,
  { email, password }: Saved,
  dataDir: string,
): Promise<Record<string, string>> {
  try {
    return await signIn(baseUrl, { email, password })
  } catch (error) {
    if (error instanceof Refused && error.status === 401) {
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
