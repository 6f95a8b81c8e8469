import { expect, test } from '@jest/globals'
import type { AggregatorLink } from './aggregator-link.ts'
import { noticeOf } from './notice.ts'

const now = new Date('2026-03-04T12:00:00Z')
const end = new Date('2026-03-11T00:00:00Z')
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000).toISOString()

type Noticed = Pick<AggregatorLink, 'status' | 'errorCode' | 'expirationDate' | 'noticedFor'>

const fine: Noticed = { status: 'setup', errorCode: null, expirationDate: null, noticedFor: null }
const locked = { ...fine, status: 'error', errorCode: 'ITEM_LOGIN_REQUIRED' } as const
const revoked = { ...fine, status: 'revoked', errorCode: 'USER_PERMISSION_REVOKED' } as const
const expiring = { ...fine, status: 'pending_expiration', expirationDate: end } as const
const occasionOf = (before: Noticed, after: Noticed) => noticeOf(before, after, now)?.occasion

test('a link whose user must act causes a mail', () => {
  expect(occasionOf(fine, locked)).toBe('login-required 2026-03-04T12:00:00.000Z')
  expect(occasionOf(locked, revoked)).toBe('revoked 2026-03-04T12:00:00.000Z')
  expect(occasionOf(fine, expiring)).toBe('expiring 2026-03-11T00:00:00.000Z')
  expect(occasionOf(fine, { ...expiring, expirationDate: null })).toBe('expiring ')
})

test('a link that works, or that its user cannot repair, causes none', () => {
  for (const status of ['pending', 'setup', 'deactivated', 'unknown'] as const) {
    expect(occasionOf(locked, { ...fine, status })).toBeUndefined()
  }
  for (const errorCode of [null, 'INSTITUTION_DOWN', 'ITEM_NOT_SUPPORTED', 'NEW_CODE']) {
    expect(occasionOf(fine, { ...locked, errorCode })).toBeUndefined()
  }
})

test('the same occasion causes one mail', () => {
  const told = { ...locked, noticedFor: `login-required ${hoursAgo(200)}` }
  expect(occasionOf(told, told)).toBeUndefined()
  expect(occasionOf(told, { ...told, errorCode: 'ITEM_LOCKED' })).toBeUndefined()
  const noticedFor = 'expiring 2026-03-11T00:00:00.000Z'
  const same = { ...expiring, noticedFor }
  expect(occasionOf(same, same)).toBeUndefined()
  expect(occasionOf({ ...fine, noticedFor }, same)).toBeUndefined()
})

test('a new occasion causes another mail', () => {
  const noticedFor = 'expiring 2026-03-11T00:00:00.000Z'
  const moved = { ...expiring, noticedFor, expirationDate: new Date('2026-06-01T00:00:00Z') }
  expect(occasionOf({ ...fine, noticedFor }, moved)).toBe('expiring 2026-06-01T00:00:00.000Z')
  expect(occasionOf({ ...expiring, noticedFor }, { ...locked, noticedFor })).toBe(
    'login-required 2026-03-04T12:00:00.000Z',
  )
})

test('a link whose status goes to and fro causes one mail a day', () => {
  const again = (hours: number) => {
    const noticedFor = `login-required ${hoursAgo(hours)}`
    return occasionOf({ ...fine, noticedFor }, { ...locked, noticedFor })
  }
  expect(again(23.9)).toBeUndefined()
  expect(again(24)).toBe('login-required 2026-03-04T12:00:00.000Z')
})
