import { say } from '@coffer/kit/reasons/reasons'
import type { Problems } from '@coffer/kit/rpc/errors'
import { values } from '@coffer/proto/values'
import { z } from 'zod'
import { collectProblems, findNameProblem } from '../book/login.ts'

/** A key to an account's data; requests with it run as the user who created it. */
export const ApiKey = z.object({
  apiKeyId: z.string(),
  name: z.string(),
  createdAt: z.date(),
  createdBy: z.string(),
  updatedAt: z.date(),
  deletedAt: z.date().nullable(),
  /** Instant from which the key is refused; null if the key is valid until it is revoked. */
  expiresAt: z.date().nullable(),
  /** RPCs that change data refuse keys of scope `read`. */
  scope: z.enum(values['ApiKey.scope']),
  /** Time of the last use, stored at most every five minutes; null before the first use. */
  lastUsedAt: z.date().nullable(),
})
export type ApiKey = z.infer<typeof ApiKey>

/** Returns the problems of a new API key, keyed by field; null if there are none. */
export function findApiKeyProblems(
  key: { name: string; expiresAt: Date | null; scope: string },
  now: Date,
): Problems | null {
  const { name, expiresAt, scope } = key
  return collectProblems({
    name: name === '' ? say('NAME_REQUIRED') : findNameProblem(name),
    expiresAt: expiresAt && expiresAt <= now ? say('NOT_FUTURE') : null,
    scope: ApiKey.shape.scope.safeParse(scope).success
      ? null
      : `must be ${values['ApiKey.scope'].join(' or ')}`,
  })
}
