import { z } from 'zod'
import { base32, hashOf } from './secret.ts'

const dayMs = 24 * 60 * 60 * 1000

// Every session ends so long after it began (spec/decisions.md, Cookie).
const lifetimeMs = 14 * dayMs

// So long the second factor may be owed (spec/interface.md, Authentication 2).
const pendingLifetimeMs = 5 * 60 * 1000

// So long after it began a session needs no proof again of who has it.
const recentMs = 15 * 60 * 1000

// The use of a session is written down this often at most.
const notedEveryMs = 5 * 60 * 1000

/** A session as its user sees it. */
export const Session = z.object({
  sessionId: z.string(),
  createdAt: z.date(),
  /** Exact to five minutes. */
  lastUsedAt: z.date(),
  expiresAt: z.date(),
})
export type Session = z.infer<typeof Session>

/** A session as it is stored: its token only as a hash. */
export interface NewSession {
  accountId: string
  userId: string
  sessionId: string
  tokenHash: Buffer
  /** Whether the second factor is owed. */
  isPending: boolean
  now: Date
  expiresAt: Date
}

/** A session that begins now, and the token that proves it; `bytes` are 32 random ones. */
export function newSession(
  { bytes, sessionId, isPending }: { bytes: Uint8Array; sessionId: string; isPending: boolean },
  { accountId, userId }: { accountId: string; userId: string },
  now: Date,
): { token: string; session: NewSession } {
  const token = base32(bytes)
  const expiresAt = new Date(now.getTime() + (isPending ? pendingLifetimeMs : lifetimeMs))
  const tokenHash = hashOf(token)
  const session = { accountId, userId, sessionId, tokenHash, isPending, now, expiresAt }
  return { token, session }
}

/** Whether the text may be a session's token at all. */
export function isToken(text: string): boolean {
  return /^[a-z2-7]{52}$/.test(text)
}

/**
 * Bounds of a use at `now`: a session last used before `idleSince` has ended, one last noted
 * before `notedSince` is noted again.
 */
export function boundsOfUse(now: Date, idleDays: number): { idleSince: Date; notedSince: Date } {
  const before = (ms: number) => new Date(now.getTime() - ms)
  return { idleSince: before(idleDays * dayMs), notedSince: before(notedEveryMs) }
}

/** Whether its user has signed in so lately that nobody asks again (OWASP ASVS 5.0, 7.5). */
export function isRecent(createdAt: Date, now: Date): boolean {
  return now.getTime() - createdAt.getTime() < recentMs
}
