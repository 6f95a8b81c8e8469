import { z } from 'zod'
import { code, password } from './fields.ts'

/** What is final, or weakens a login, asks again who is there, by one of the two. */
export const identityProof = z.union([
  z.strictObject({ currentPassword: password }),
  z.strictObject({ totp: code }),
])

/** The proof as identity takes it. */
export function proofMessage(body: z.output<typeof identityProof>) {
  return 'totp' in body
    ? { proof: { kind: { case: 'totp' as const, value: body.totp } } }
    : { proof: { kind: { case: 'currentPassword' as const, value: body.currentPassword } } }
}
