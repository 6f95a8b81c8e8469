import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { anAggregatorLink } from '../../test/aggregator-links.ts'
import type { AggregatorLink } from './aggregator-link.ts'
import { applyStatement, type Statement } from './link-status.ts'

const now = new Date('2026-03-04T12:00:05Z')
const asOf = new Date('2026-03-04T12:00:00Z')
const consentEnd = new Date('2026-06-01T00:00:00Z')

const link = anAggregatorLink({ createdAt: asOf, updatedAt: asOf })

const live = ['pending', 'setup', 'error', 'pending_expiration', 'revoked', 'unknown'] as const
const ofStatus = (status: AggregatorLink['status']): AggregatorLink => {
  const errorCode = status === 'error' ? 'ITEM_LOGIN_REQUIRED' : null
  const expirationDate = status === 'pending_expiration' ? consentEnd : null
  return { ...link, status, errorCode, expirationDate }
}
const stated = (of: AggregatorLink, statement: Statement) => {
  const { status, errorCode, expirationDate } = applyStatement(of, statement, now)
  return [status, errorCode, expirationDate]
}

test.each(live)('webhooks about the status apply to a link that is %s', (status) => {
  const before = ofStatus(status)
  const { expirationDate } = before
  const apply = (statement: Statement) => stated(before, statement)
  expect(apply({ kind: 'repaired', asOf })).toEqual(['setup', null, null])
  const error = { kind: 'error' as const, asOf }
  expect(apply({ ...error, code: 'ITEM_LOCKED' })).toEqual(['error', 'ITEM_LOCKED', expirationDate])
  expect(apply({ ...error, code: null })).toEqual(['error', null, expirationDate])
  const code = 'USER_PERMISSION_REVOKED'
  expect(apply({ kind: 'revoked', code, asOf })).toEqual(['revoked', code, expirationDate])
  const other = new Date('2026-07-01T00:00:00Z')
  expect(apply({ kind: 'expiring', at: other, asOf })).toEqual(['pending_expiration', null, other])
  const unknown = apply({ kind: 'expiring', at: null, asOf })
  expect(unknown).toEqual(['pending_expiration', null, expirationDate])
})

const later = new Date('2026-09-01T00:00:00Z')

test.each([
  // before, error code and end of the consent as read, after
  ['pending', null, null, 'pending'],
  ['setup', null, null, 'setup'],
  ['error', null, null, 'setup'],
  ['revoked', null, null, 'setup'],
  ['unknown', null, null, 'setup'],
  ['pending_expiration', null, null, 'pending_expiration'],
  ['pending_expiration', null, consentEnd, 'pending_expiration'],
  ['pending_expiration', null, later, 'setup'],
  ['setup', 'ITEM_LOGIN_REQUIRED', null, 'error'],
  ['pending', 'ITEM_NOT_SUPPORTED', null, 'error'],
  ['pending_expiration', 'INVALID_CREDENTIALS', null, 'error'],
  ['setup', 'USER_PERMISSION_REVOKED', null, 'revoked'],
  ['setup', 'ITEM_NOT_FOUND', null, 'revoked'],
  // The institution is away, which says nothing about the link.
  ['setup', 'INSTITUTION_DOWN', null, 'setup'],
] as const)('%s, read with the error %s and the end %s: %s', (before, code, end, after) => {
  const statement = { kind: 'read' as const, errorCode: code, consentExpiresAt: end, asOf }
  const result = applyStatement(ofStatus(before), statement, now)
  expect(result.status).toBe(after)
  expect(result.errorCode).toBe(after === 'error' || after === 'revoked' ? code : null)
  if (end) expect(result.expirationDate).toEqual(end)
})

test('new accounts change nothing else, whatever their age', () => {
  const before = { ...ofStatus('error'), statusAsOf: now }
  const available = applyStatement(before, { kind: 'accounts-available', asOf }, now)
  expect(available).toEqual({ ...before, newAccountsAvailable: true, updatedAt: now })
})

test('an older statement is ignored, one of the same second applies', () => {
  const before = { ...link, statusAsOf: new Date('2026-03-04T12:00:00.900Z') }
  const error = { kind: 'error' as const, code: 'ITEM_LOCKED' }
  expect(applyStatement(before, { ...error, asOf }, now)).toMatchObject({
    status: 'error',
    statusAsOf: asOf,
    updatedAt: now,
  })
  const older = new Date('2026-03-04T11:59:59.999Z')
  expect(applyStatement(before, { ...error, asOf: older }, now)).toBe(before)
})

const statement: fc.Arbitrary<Statement> = fc
  .record({
    asOf: fc.integer({ min: 0, max: 100 }).map((s) => new Date(asOf.getTime() + s * 1_000)),
    code: fc.constantFrom(null, 'ITEM_LOGIN_REQUIRED', 'USER_PERMISSION_REVOKED', 'NEW_CODE'),
    at: fc.constantFrom(null, consentEnd, later),
    kind: fc.constantFrom('error', 'revoked', 'repaired', 'expiring', 'read'),
  })
  .map((of) => ({ ...of, errorCode: of.code, consentExpiresAt: of.at }) as Statement)

test('statements in any order end as the newest one does', () => {
  const webhooks = statement.filter(({ kind }) => kind !== 'read')
  const several = fc.uniqueArray(webhooks, {
    minLength: 2,
    maxLength: 6,
    selector: ({ asOf: at }) => at.getTime(),
  })
  const orders = several.chain((all) => {
    const shuffled = fc.shuffledSubarray(all, { minLength: all.length })
    return fc.tuple(fc.constant(all), shuffled)
  })
  fc.assert(
    fc.property(orders, ([all, order]) => {
      const newest = all.toSorted((a, b) => b.asOf.getTime() - a.asOf.getTime())[0] as Statement
      const end = order.reduce((to, one) => applyStatement(to, one, now), link)
      const { status, errorCode } = applyStatement(link, newest, now)
      expect([end.status, end.errorCode]).toEqual([status, errorCode])
    }),
  )
})

test('a link that is being created, or has ended, never changes', () => {
  const inactive = fc.constantFrom('creating' as const, 'deactivated' as const)
  fc.assert(
    fc.property(inactive, statement, (status, of) => {
      const before = { ...link, status }
      expect(applyStatement(before, of, now)).toBe(before)
    }),
  )
})
