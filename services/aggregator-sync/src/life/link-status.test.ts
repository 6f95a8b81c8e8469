import { expect, test } from '@jest/globals'
import type { AggregatorLink } from '../links/aggregator-link.ts'
import { applyStatement, type Statement } from './link-status.ts'

const asOf = new Date('2026-03-01T10:00:00Z')
const before = new Date('2026-03-01T09:59:59Z')
const now = new Date('2026-03-01T10:00:01Z')
const consent = new Date('2026-09-01T00:00:00Z')

const link: AggregatorLink = {
  accountId: 'acct_1',
  linkId: 'link_1',
  status: 'setup',
  itemId: 'item',
  institutionId: 'ins_1',
  institutionName: 'Bank',
  products: ['transactions'],
  webhookUrl: null,
  chosenAccounts: [],
  errorCode: null,
  expirationDate: null,
  newAccountsAvailable: false,
  statusAsOf: null,
  noticedFor: null,
  createdAt: before,
  createdBy: 'user_1',
  updatedAt: before,
  deletedAt: null,
  releasedAt: null,
}
const read = { kind: 'read', errorCode: null, consentExpiresAt: null, asOf } as const

type Status = AggregatorLink['status']

test.each<[Status, Statement, Status, string | null]>([
  ['setup', { kind: 'error', code: 'ITEM_LOGIN_REQUIRED', asOf }, 'error', 'ITEM_LOGIN_REQUIRED'],
  ['pending', { kind: 'revoked', code: 'ITEM_NOT_FOUND', asOf }, 'revoked', 'ITEM_NOT_FOUND'],
  ['setup', { ...read, errorCode: 'ITEM_LOGIN_REQUIRED' }, 'error', 'ITEM_LOGIN_REQUIRED'],
  [
    'setup',
    { ...read, errorCode: 'USER_PERMISSION_REVOKED' },
    'revoked',
    'USER_PERMISSION_REVOKED',
  ],
  ['setup', { ...read, errorCode: 'INSTITUTION_DOWN' }, 'setup', null],
  ['error', read, 'setup', null],
  ['revoked', read, 'setup', null],
  ['unknown', read, 'setup', null],
  ['pending', read, 'pending', null],
  ['pending_expiration', read, 'pending_expiration', null],
  ['setup', read, 'setup', null],
])('%s becomes, after %j, %s', (status, statement, expected, errorCode) => {
  const after = applyStatement({ ...link, status, errorCode: 'OLD' }, statement, now)
  expect(after).toMatchObject({ status: expected, errorCode, statusAsOf: asOf, updatedAt: now })
})

test.each<Status>(['creating', 'deactivated'])('%s never changes', (status) => {
  const ended = { ...link, status }
  expect(applyStatement(ended, { kind: 'error', code: 'ITEM_LOCKED', asOf }, now)).toBe(ended)
})

test('an older statement is ignored, one of the same instant applied', () => {
  const stated = { ...link, statusAsOf: asOf }
  const error = { kind: 'error', code: 'ITEM_LOCKED' } as const
  expect(applyStatement(stated, { ...error, asOf: before }, now)).toBe(stated)
  expect(applyStatement(stated, { ...error, asOf }, now).status).toBe('error')
})

test('a later end of the consent ends the wait for its renewal', () => {
  const expiring = { ...link, status: 'pending_expiration' as const, expirationDate: consent }
  const same = applyStatement(expiring, { ...read, consentExpiresAt: consent }, now)
  expect(same).toMatchObject({ status: 'pending_expiration', expirationDate: consent })
  const later = new Date('2027-03-01T00:00:00Z')
  const renewed = applyStatement(expiring, { ...read, consentExpiresAt: later }, now)
  expect(renewed).toMatchObject({ status: 'setup', expirationDate: later })
  expect(applyStatement(expiring, read, now).expirationDate).toEqual(consent)
})
