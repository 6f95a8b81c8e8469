import type { z } from 'zod'
import { nonce } from '../http/fields/credentials.ts'
import { text } from '../http/fields/fields.ts'

const keys = {
  challenge: text.describe('Challenge of POST /api/authentication/challenge for this purpose'),
  nonce: nonce.describe('Integer from 0 that solves the challenge (docs/sign-in.md#proof-of-work)'),
}

/**
 * Type of the keys of a proof of work in a body. Optional, because only at run time the settings
 * decide whether the schema requires them or lacks them.
 */
type ProofOfWorkKeys = { [Key in keyof typeof keys]: z.ZodOptional<(typeof keys)[Key]> }

/**
 * Returns the keys of a proof of work in a body: required if proof of work is on, else refused as
 * unknown (docs/sign-in.md#proof-of-work).
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
