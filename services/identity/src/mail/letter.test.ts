import { messageValues } from '@coffer/kit/testing/messages'
import { describe, expect, test } from '@jest/globals'
import { texts as de } from './languages/de.ts'
import { texts as en } from './languages/en.ts'
import {
  type Speech,
  speechFor,
  writeLinkLetter,
  writeLinkNotice,
  writeNotice,
  writeTrialLetter,
  writeWebhookNotice,
} from './letter.ts'
import { type Letter, type LinkKind, Mail, type MailKind, type NoticeKind } from './mail.ts'

test('the texts in German have all keys and values of the English ones', () => {
  expect(messageValues(de, 'de')).toEqual(messageValues(en, 'en'))
})

const url = 'https://money.example/x'
const at = new Date('2026-12-06T03:30:00Z')
const before = (days: number, ms = 0) => new Date(at.getTime() - days * 86_400_000 + ms)
const bank = { institutionName: ' First\r\n Bank ', consentEndsAt: at, timezone: 'America/Chicago' }
const trial = { trialEndsAt: at, timezone: 'America/Chicago' }
const link = (kind: LinkKind, minutes = 60) =>
  writeLinkLetter.bind(null, kind, { link: url, minutes })
const notice = (kind: NoticeKind) => writeNotice.bind(null, kind)
const ending = (now: Date) => writeTrialLetter.bind(null, trial, now)
const told =
  (kind: 'link-expiring' | 'link-broken', change = {}) =>
  (speech: Speech) =>
    writeLinkNotice(kind, { ...bank, ...change }, { ...speech, url })
const hook = (kind: 'webhook-failing' | 'webhook-gone') => (speech: Speech) =>
  writeWebhookNotice(kind, 'home.example', { ...speech, url })

type Row = [kind: MailKind, write: (speech: Speech) => Letter, english: string, german: string]

// A part of the mail in English, and the same in German.
const rows: Row[] = [
  ['verify-email', link('verify-email'), 'once, for 1 hour.', 'einmal, eine Stunde lang.'],
  ['verify-email', link('verify-email', 1440), 'for 24 hours.', '24 Stunden lang.'],
  ['change-email', link('change-email', 1), 'for 1 minute.', 'eine Minute lang.'],
  ['reset-password', link('reset-password', 90), 'for 90 minutes.', '90 Minuten lang.'],
  ['password-changed', notice('password-changed'), 'login was changed', 'wurde geändert'],
  ['authenticator-enabled', notice('authenticator-enabled'), 'takes a code', 'einen Code'],
  ['authenticator-disabled', notice('authenticator-disabled'), 'password alone', 'nur noch'],
  ['recovery-codes-renewed', notice('recovery-codes-renewed'), 'new recovery', 'neue Wieder'],
  ['wrong-codes', notice('wrong-codes'), 'Five wrong codes', 'Fünf falsche Codes'],
  ['second-factor-locked', notice('second-factor-locked'), 'After 100', 'Nach 100'],
  ['email-change-requested', notice('email-change-requested'), 'gets another', 'eine andere'],
  ['email-changed', notice('email-changed'), 'another one now', 'jetzt eine andere'],
  ['trial-ending', ending(before(5)), 'ends in 5 days, on', 'endet in 5 Tagen, am'],
  ['trial-ending', ending(before(5, 1)), 'ends in 4 days, on', 'endet in 4 Tagen, am'],
  [
    'trial-ending',
    ending(before(1)),
    'in 1 day, on Saturday, December 5, 2026.',
    'in einem Tag, am',
  ],
  ['trial-ending', ending(before(1, 1)), 'ends in less than a day', 'in weniger als einem Tag'],
  ['trial-ending', ending(at), 'ended on Saturday,', 'endete am Samstag, 5. Dezember 2026.'],
  ['link-expiring', told('link-expiring'), 'at First Bank ends on Saturday', 'am Samstag, 5.'],
  ['link-expiring', told('link-expiring', { timezone: 'Asia/Tokyo' }), 'Sunday,', 'am Sonntag, 6.'],
  ['link-expiring', told('link-expiring', { consentEndsAt: null }), 'ends soon.', 'endet bald.'],
  ['link-broken', told('link-broken'), 'at First Bank: it asks', 'bei First Bank nicht'],
  ['link-broken', told('link-broken', { institutionName: ' ' }), 'at your inst', 'bei deiner Bank'],
  ['webhook-failing', hook('webhook-failing'), 'home.example: it has', 'home.example: Er hat drei'],
  ['webhook-gone', hook('webhook-gone'), 'no longer exists (410)', 'nicht mehr gibt (410)'],
]

const ann = { firstName: 'Ann', isEmailVerified: true }

describe.each(rows)('the mail %s', (kind, write, ...parts) => {
  test.each([
    ['en_US', 'en', 'Hello'],
    ['de_DE', 'de', 'Hallo'],
  ])('in %s', (locale, language, hello) => {
    const letter = write(speechFor(kind, { ...ann, locale }))
    const { subject, greeting, paragraphs, button } = letter
    expect(letter.language).toBe(language)
    expect(greeting).toBe(kind === 'change-email' ? `${hello},` : `${hello} Ann,`)
    expect(paragraphs.join('\n')).toContain(parts[language === 'en' ? 0 : 1])
    expect(`${subject} ${paragraphs.join(' ')}`).not.toMatch(/[{}\n]|undefined/)
    if (button) expect(button).toMatchObject({ url, otherwise: expect.stringContaining(url) })
  })
})

test('each kind of mail is in the table', () => {
  expect(new Set(rows.map(([kind]) => kind))).toEqual(new Set(Mail.shape.kind.options))
})

test.each([
  [{ locale: 'de_AT' }, 'de', 'Hallo Ann,', 'de-AT'],
  [{ locale: 'en-GB' }, 'en', 'Hello Ann,', 'en-GB'],
  [{ locale: 'fr_FR' }, 'en', 'Hello Ann,', 'en-US'],
  [{ locale: null }, 'en', 'Hello Ann,', 'en-US'],
  [{ locale: 'de_DE', isEmailVerified: false }, 'de', 'Hallo,', 'de-DE'],
  [{ locale: 'de_DE', firstName: '{x} <b>' }, 'de', 'Hallo {x} <b>,', 'de-DE'],
])('a reader with %j gets a mail in %s', (change, language, greeting, locale) => {
  const speech = speechFor('password-changed', { ...ann, ...change })
  expect(speech).toMatchObject({ language, greeting, locale })
})
