import type { z } from 'zod'
import { nonce, text } from './bodies/fields.ts'

/** What a challenge may be solved for (spec/identity.md 5.2). */
export const workPurposes = [
  'register',
  'login',
  'forgot',
  'resend',
  'create_api_key',
  'delete_api_key',
] as const

const keys = { challenge: text, nonce }

/** What a body has where it may have to prove work. */
type WorkKeys = { [Key in keyof typeof keys]: z.ZodOptional<(typeof keys)[Key]> }

/**
 * Keys of a body that proves work: both required where that is on, neither known where it is off
 * (spec/identity.md 5.2). Handlers see keys that may be missing.
 */
export function workKeys({ proofOfWorkEnabled }: { proofOfWorkEnabled: boolean }): WorkKeys {
  return (proofOfWorkEnabled ? keys : {}) as WorkKeys
}

/** The body without these keys, and with the proof they are, if there is one. */
export function withWork<
  Body extends { challenge?: string | undefined; nonce?: bigint | undefined },
>({ challenge, nonce, ...rest }: Body) {
  const isSent = challenge !== undefined && nonce !== undefined
  return { ...rest, ...(isSent ? { proofOfWork: { challenge, nonce } } : {}) }
}
