import { expect, test } from '@jest/globals'
import { greetingOf, isWanted, writeTrialLetter } from './mail.ts'

const trialEndsAt = new Date('2026-12-06T03:30:00Z')

test.each([
  ['2026-12-01T03:30:00Z', 'in 5 days'],
  ['2026-12-01T03:30:01Z', 'in 4 days'],
  ['2026-12-05T03:30:00Z', 'in 1 day'],
  ['2026-12-05T03:30:01Z', 'in less than a day'],
])('at %s a trial ends %s, by the calendar of the account', (now, left) => {
  const trial = { trialEndsAt, timezone: 'America/Chicago' }
  const letter = writeTrialLetter(trial, { greeting: 'Hello Ann,', now: new Date(now) })
  expect(letter).toMatchObject({ subject: 'Your trial is about to end', greeting: 'Hello Ann,' })
  expect(letter.paragraphs[0]).toBe(
    `The trial of your Coffer account ends ${left}, on Saturday, December 5, 2026.`,
  )
})

test('the notice of an ended trial says so', () => {
  const trial = { trialEndsAt, timezone: 'Asia/Tokyo' }
  const { subject, paragraphs } = writeTrialLetter(trial, { greeting: 'Hello,', now: trialEndsAt })
  expect(subject).toBe('Your trial has ended')
  expect(paragraphs[0]).toBe('The trial of your Coffer account ended on Sunday, December 6, 2026.')
})

const ann = { loginId: 'lgn_1', firstName: 'Ann', isDisabled: false, isEmailVerified: false }

test.each(['trial-ending', 'link-expiring', 'link-broken'] as const)(
  'no mail of kind %s goes to a disabled login or an unverified address',
  (kind) => {
    const isTold = (change: Partial<typeof ann>, verifyEmailAddress: boolean) =>
      isWanted(kind, { ...ann, ...change }, { verifyEmailAddress })
    expect(isTold({}, false)).toBe(true)
    expect(isTold({}, true)).toBe(false)
    expect(isTold({ isEmailVerified: true }, true)).toBe(true)
    expect(isTold({ isDisabled: true }, false)).toBe(false)
    expect(isTold({ isDisabled: true, isEmailVerified: true }, true)).toBe(false)
  },
)

test('a mail names its reader once the address is verified', () => {
  expect(greetingOf(ann)).toBe('Hello,')
  expect(greetingOf({ ...ann, isEmailVerified: true })).toBe('Hello Ann,')
})
