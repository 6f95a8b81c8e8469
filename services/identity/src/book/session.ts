import { dayMs } from '@coffer/kit/values/time'
import { z } from 'zod'
import { base32, hashOf } from './secret.ts'

// Absolute timeout of a session (docs/security.md#sessions).
const lifetimeMs = 14 * dayMs

// Lifetime of a session on a device that is not the person's own (docs/security.md#sessions).
const foreignLifetimeMs = dayMs / 2

// Lifetime of a pending session (docs/sign-in.md#second-factor).
const pendingLifetimeMs = 5 * 60 * 1000

// Age up to which a session needs no re-authentication (docs/sign-in.md#re-authentication).
const recentMs = 15 * 60 * 1000

// Minimum interval between two updates of `last_used_at`, to avoid a write on every request.
const notedEveryMs = 5 * 60 * 1000

// Maximum length of a device name, as of its column. The gateway sends shorter ones from a list.
const deviceNameMax = 100

/** The fields of a session that its user sees. */
export const Session = z.object({
  sessionId: z.string(),
  createdAt: z.date(),
  /** Time of the last request, exact to five minutes. */
  lastUsedAt: z.date(),
  expiresAt: z.date(),
  /** Browser and system of the sign-in; null if unknown. */
  deviceName: z.string().nullable(),
})
export type Session = z.infer<typeof Session>

/** A session to insert, with the hash of its token; the token itself is not stored. */
export interface NewSession {
  accountId: string
  userId: string
  sessionId: string
  tokenHash: Buffer
  /** Whether the session still requires its second factor. */
  isPending: boolean
  now: Date
  expiresAt: Date
  deviceName: string | null
  /** Whether the device is not the person's own; the session after a pending one is told so. */
  isForeign: boolean
}

/** Input of a new session: 32 random bytes for its token, and the device, '' if unknown. */
export interface SessionOrigin {
  isForeign: boolean
  bytes: Uint8Array
  sessionId: string
  isPending: boolean
  deviceName: string
}

/** Returns a session that begins `now`, and its token. */
export function newSession(
  origin: SessionOrigin,
  { accountId, userId }: { accountId: string; userId: string },
  now: Date,
): { token: string; session: NewSession } {
  const { bytes, sessionId, isPending, isForeign } = origin
  const token = base32(bytes)
  const lastsMs = isForeign ? foreignLifetimeMs : lifetimeMs
  const expiresAt = new Date(now.getTime() + (isPending ? pendingLifetimeMs : lastsMs))
  const tokenHash = hashOf(token)
  const deviceName = origin.deviceName.slice(0, deviceNameMax) || null
  const ends = { isPending, isForeign, now, expiresAt }
  return { token, session: { accountId, userId, sessionId, tokenHash, deviceName, ...ends } }
}

/** Returns whether the text has the format of a session token. */
export function isToken(text: string): boolean {
  return /^[a-z2-7]{52}$/.test(text)
}

/**
 * Returns two bounds for a request at `now`. Idle timeout: sessions last used before `idleSince`
 * have ended. A use is stored only if `last_used_at` is not later than `notedSince`.
 */
export function boundsOfUse(now: Date, idleDays: number): { idleSince: Date; notedSince: Date } {
  const before = (ms: number) => new Date(now.getTime() - ms)
  return { idleSince: before(idleDays * dayMs), notedSince: before(notedEveryMs) }
}

/** Returns whether a session is too young to need re-authentication (OWASP ASVS 5.0, 7.5). */
export function isRecent(createdAt: Date, now: Date): boolean {
  return now.getTime() - createdAt.getTime() < recentMs
}
