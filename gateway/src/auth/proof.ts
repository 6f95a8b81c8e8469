import { z } from 'zod'
import { code, password } from '../http/bodies/fields.ts'

/** What is final, or weakens a login, asks again who is there, by one of the two. */
export const identityProof = z.union([
  z.strictObject({ currentPassword: password }),
  z.strictObject({ totp: code }),
])

/** The same, of which a session that has just begun needs none. */
export const laterProof = z.union([...identityProof.options, z.strictObject({})])

/** The proof as identity takes it. */
export function proofMessage(body: z.output<typeof laterProof>) {
  if ('totp' in body) return { proof: { kind: { case: 'totp' as const, value: body.totp } } }
  return 'currentPassword' in body
    ? { proof: { kind: { case: 'currentPassword' as const, value: body.currentPassword } } }
    : {}
}
