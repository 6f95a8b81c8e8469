import type { Problems } from '@coffer/kit/errors'
import { z } from 'zod'

/** A key to an account's data, used in the name of the user who made it. */
export const ApiKey = z.object({
  apiKeyId: z.string(),
  name: z.string(),
  createdAt: z.date(),
  createdBy: z.string(),
  updatedAt: z.date(),
  deletedAt: z.date().nullable(),
})
export type ApiKey = z.infer<typeof ApiKey>

const nameCharactersMax = 300

/** What is wrong with the name of a key, or null (spec/identity.md 6.7). */
export function apiKeyProblems(name: string): Problems | null {
  const { length } = [...name]
  if (length === 0) return { name: 'name is required' }
  if (/\p{Cc}/u.test(name)) return { name: 'must be printable characters only' }
  if (length > nameCharactersMax) return { name: `must be 1 to ${nameCharactersMax} characters` }
  return null
}
