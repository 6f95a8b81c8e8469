import { CofferError, createClient } from '@coffer/client'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { reasonOf } from '../process/databases.ts'

/** Returns the URL without trailing slashes. Throws FatalError unless a server answers there. */
export async function requireServer(url: string): Promise<string> {
  const baseUrl = url.replace(/\/+$/, '')
  try {
    await createClient({ baseUrl, attempts: 1 }).getHealth()
  } catch (error) {
    const { cause } = error as Error
    const reason = reasonOf(cause ?? error)
    throw new FatalError(`No server at ${baseUrl}: ${reason}. Start one with "npm start".`)
  }
  return baseUrl
}

/** Returns whether a call fails with one of these statuses. Rethrows other errors. */
export async function isRefused(call: Promise<unknown>, statuses: number[]): Promise<boolean> {
  try {
    await call
    return false
  } catch (error) {
    if (error instanceof CofferError && statuses.includes(error.status)) return true
    throw error
  }
}

/**
 * Returns the result of a call. Throws FatalError for a refusal: with `about`, the text of the
 * server, and a hint for the status.
 */
export async function explain<Result>(
  call: Promise<Result>,
  about: string,
  hints: Record<number, string> = {},
): Promise<Result> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof CofferError)) throw error
    const text = `${about}: ${error.message.replace(/\.$/, '')}.`
    throw new FatalError([text, hints[error.status]].filter(Boolean).join(' '))
  }
}
