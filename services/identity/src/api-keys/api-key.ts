import type { Problems } from '@coffer/kit/rpc/errors'
import { z } from 'zod'

/** A key to an account's data; requests with it run as the user who created it. */
export const ApiKey = z.object({
  apiKeyId: z.string(),
  name: z.string(),
  createdAt: z.date(),
  createdBy: z.string(),
  updatedAt: z.date(),
  deletedAt: z.date().nullable(),
  /** Null: the key works until it is revoked. */
  expiresAt: z.date().nullable(),
  /** `read`: RPCs with effects refuse the key. */
  scope: z.enum(['full', 'read']),
  /** Exact to five minutes; null before the first use. */
  lastUsedAt: z.date().nullable(),
})
export type ApiKey = z.infer<typeof ApiKey>

const nameCharactersMax = 300

/** Returns the problems of a new key by field, or null (docs/sign-in.md#api-keys). */
export function findApiKeyProblems(
  key: { name: string; expiresAt: Date | null; scope: string },
  now: Date,
): Problems | null {
  const problems = findNameProblems(key.name) ?? {}
  if (key.expiresAt && key.expiresAt <= now) problems.expiresAt = 'must lie in the future'
  if (!ApiKey.shape.scope.safeParse(key.scope).success) problems.scope = 'must be full or read'
  return Object.keys(problems).length === 0 ? null : problems
}

function findNameProblems(name: string): Problems | null {
  const { length } = [...name]
  if (length === 0) return { name: 'name is required' }
  if (/\p{Cc}/u.test(name)) return { name: 'must be printable characters only' }
  if (length > nameCharactersMax) return { name: `must be 1 to ${nameCharactersMax} characters` }
  return null
}
