import type { z } from 'zod'
import { nonce, text } from './bodies/fields.ts'

/** Requests that a proof-of-work challenge can be issued for (docs/sign-in.md#proof-of-work). */
export const challengePurposes = [
  'register',
  'login',
  'forgot',
  'resend',
  'create_api_key',
  'delete_api_key',
] as const

const keys = { challenge: text, nonce }

/** The keys are optional for handlers: the configuration decides at run time. */
type ProofOfWorkKeys = { [Key in keyof typeof keys]: z.ZodOptional<(typeof keys)[Key]> }

/**
 * Keys of a body that carries a proof of work. Both are required where proof of work is on, and
 * unknown where it is off (docs/sign-in.md#proof-of-work).
 */
export function proofOfWorkKeys(config: { proofOfWorkEnabled: boolean }): ProofOfWorkKeys {
  return (config.proofOfWorkEnabled ? keys : {}) as ProofOfWorkKeys
}

/** Moves `challenge` and `nonce` of a body into the message field `proofOfWork`, if both exist. */
export function withProofOfWork<
  Body extends { challenge?: string | undefined; nonce?: bigint | undefined },
>({ challenge, nonce, ...rest }: Body) {
  const isSent = challenge !== undefined && nonce !== undefined
  return { ...rest, ...(isSent ? { proofOfWork: { challenge, nonce } } : {}) }
}
