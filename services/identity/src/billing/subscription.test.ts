import { describe, expect, test } from '@jest/globals'
import { isPaidUp, paidUntil, trialEnd } from '../book/subscription.ts'
import { chooseSubscription, subscriptionStateOf } from './subscription.ts'

const now = new Date('2026-11-21T12:00:00Z')
const [past, soon, later] = ['2026-11-20', '2026-11-25', '2026-12-25'].map((day) => new Date(day))
const billed = { billed: true }

// Columns: trial end, subscription end, status, expected state
// (docs/billing.md#subscription-states).
describe.each([
  [soon, null, null, { isActive: true, isTrialing: true, hasSubscription: false }],
  [past, null, null, { isActive: false, isTrialing: false, hasSubscription: false }],
  [null, null, null, { isActive: false, isTrialing: false, hasSubscription: false }],
  [past, later, 'active', { isActive: true, isTrialing: false, hasSubscription: true }],
  [soon, later, 'active', { isActive: true, isTrialing: false, hasSubscription: true }],
  [past, past, 'active', { isActive: false, isTrialing: false, hasSubscription: true }],
  [past, later, 'trialing', { isActive: true, isTrialing: false, hasSubscription: false }],
  [soon, later, 'past_due', { isActive: false, isTrialing: false, hasSubscription: true }],
  [soon, later, 'unpaid', { isActive: false, isTrialing: false, hasSubscription: true }],
  [soon, later, 'incomplete', { isActive: false, isTrialing: false, hasSubscription: true }],
  [past, later, 'paused', { isActive: false, isTrialing: false, hasSubscription: false }],
])('trial %p, subscription %p, %s', (trialEndsAt, subscriptionActiveUntil, status, state) => {
  const subscriptionId = status === null ? null : 'sub_1'
  const payment = {
    trialEndsAt: trialEndsAt ?? null,
    subscriptionStatus: status,
    subscriptionId,
    subscriptionActiveUntil: subscriptionActiveUntil ?? null,
  }

  test('has the state of the table', () => {
    const { trialEndsAt: trialingUntil, subscriptionActiveUntil: activeUntil } = payment
    const all = { ...state, activeUntil, trialingUntil }
    expect(subscriptionStateOf(payment, now, billed)).toEqual(all)
    expect(isPaidUp(payment, now, billed)).toBe(state.isActive)
    expect(paidUntil(payment) > now).toBe(state.isActive)
  })

  test('is active without billing, and nothing else', () => {
    expect(subscriptionStateOf(payment, now, { billed: false })).toEqual({
      isActive: true,
      isTrialing: false,
      hasSubscription: false,
      activeUntil: null,
      trialingUntil: null,
    })
  })
})

test.each(['canceled', 'incomplete_expired'])('%s leaves what is left of the trial', (status) => {
  const ended = { subscriptionStatus: status, subscriptionId: null }
  const payment = { ...ended, trialEndsAt: soon!, subscriptionActiveUntil: later! }
  const state = { isActive: true, isTrialing: true, hasSubscription: false }
  expect(subscriptionStateOf(payment, now, billed)).toMatchObject(state)
  expect(paidUntil(payment)).toEqual(soon)
  expect(isPaidUp({ ...payment, trialEndsAt: past! }, now, billed)).toBe(false)
})

test('the end of a trial is exclusive', () => {
  const payment = { trialEndsAt: now, subscriptionActiveUntil: null, subscriptionStatus: null }
  expect(isPaidUp(payment, now, billed)).toBe(false)
})

test('a trial lasts whole days', () => {
  expect(trialEnd(now, 30)).toEqual(new Date('2026-12-21T12:00:00Z'))
})

test('the effective one of several subscriptions does not depend on their order', () => {
  const at = (subscriptionId: string, status: string, periodEndsAt: Date) => {
    return { subscriptionId, status, periodEndsAt }
  }
  const all = [
    at('sub_1', 'canceled', later!),
    at('sub_2', 'active', soon!),
    at('sub_3', 'past_due', later!),
    at('sub_4', 'active', past!),
  ]
  const stored = {
    subscriptionId: 'sub_2',
    subscriptionStatus: 'active',
    subscriptionActiveUntil: new Date('2026-11-29'),
  }
  expect(chooseSubscription(all)).toEqual(stored)
  expect(chooseSubscription(all.toReversed())).toEqual(stored)
  expect(chooseSubscription([at('sub_1', 'canceled', past!)])).toEqual({
    subscriptionId: null,
    subscriptionStatus: 'canceled',
    subscriptionActiveUntil: new Date('2026-11-24'),
  })
  expect(chooseSubscription([])).toMatchObject({ subscriptionId: null, subscriptionStatus: null })
})
