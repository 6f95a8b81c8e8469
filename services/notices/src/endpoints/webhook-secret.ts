import { say } from '@coffer/kit/reasons/reasons'
import { hourMs } from '@coffer/kit/values/time'

/** Number of random bytes of a secret. */
export const secretBytes = 24

const prefix = 'whsec_'
const formerHoursMax = 7 * 24

/** Returns a secret as Standard Webhooks writes it: `whsec_` and base64 of random `bytes`. */
export function webhookSecret(bytes: Buffer): string {
  return prefix + bytes.toString('base64')
}

/** Returns the key that signs: the bytes of a secret. */
export function signingKeyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(prefix.length), 'base64')
}

/** Returns the additional authenticated data that binds a sealed secret to its row. */
export function secretOwner(of: {
  accountId: string
  webhookId: string
  webhookSecretId: string
}): string {
  return `${of.accountId}/${of.webhookId}/${of.webhookSecretId}`
}

/** Returns when a replaced secret ends: as stated, or after 24 hours. */
export function formerEnd(stated: Date | null, now: Date): Date {
  return stated ?? new Date(now.getTime() + 24 * hourMs)
}

/** Returns the problem of a stated end of a secret, or null. */
export function findEndProblem(stated: Date | null, now: Date): string | null {
  if (stated === null) return null
  const hours = (stated.getTime() - now.getTime()) / hourMs
  return hours < 0 || hours > formerHoursMax ? say('SECRET_TOO_LONG') : null
}
