import { expect, test } from '@jest/globals'
import { boundsOfUse, isToken, newSession } from './session.ts'

const now = new Date('2026-03-01T12:00:00Z')
const user = { accountId: 'acct_1', userId: 'user_1' }
const origin = {
  bytes: new Uint8Array(32),
  sessionId: 'sess_1',
  isPending: false,
  isForeign: false,
  deviceName: '',
}

test('a session ends fourteen days after it began', () => {
  const { session } = newSession(origin, user, now)
  expect(session.expiresAt).toEqual(new Date('2026-03-15T12:00:00Z'))
})

test('a session on a device of another person ends after twelve hours', () => {
  const { session } = newSession({ ...origin, isForeign: true }, user, now)
  expect(session.expiresAt).toEqual(new Date('2026-03-02T00:00:00Z'))
})

test('a session that owes its second factor ends after five minutes', () => {
  const { session } = newSession({ ...origin, isPending: true }, user, now)
  expect(session.expiresAt).toEqual(new Date('2026-03-01T12:05:00Z'))
})

test('the token is base32 of its bytes, and is not stored', () => {
  const { token, session } = newSession(origin, user, now)
  expect(token).toBe('a'.repeat(52))
  expect(isToken(token)).toBe(true)
  expect(JSON.stringify(session)).not.toContain(token)
})

test.each(['', 'a'.repeat(51), 'A'.repeat(52), `${'a'.repeat(51)}!`])('%j is no token', (text) => {
  expect(isToken(text)).toBe(false)
})

test('a session idles for the days set, and its use is stored every five minutes', () => {
  expect(boundsOfUse(now, 7)).toEqual({
    idleSince: new Date('2026-02-22T12:00:00Z'),
    notedSince: new Date('2026-03-01T11:55:00Z'),
  })
})
