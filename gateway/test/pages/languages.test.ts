import { reasons, say } from '@coffer/kit/reasons/reasons'
import { invalid, refused, unavailable } from '@coffer/kit/rpc/errors'
import { messageValues } from '@coffer/kit/testing/messages'
import { afterEach, expect, test } from '@jest/globals'
import { parseHTML } from 'linkedom'
import { texts as de } from '../../src/pages/languages/de.ts'
import { texts as en } from '../../src/pages/languages/en.ts'
import { createGateway, type Gateway } from '../gateway.ts'
import type { Stubs } from '../stub-mesh.ts'

const token = 'a'.repeat(52)
const password = 'a long enough password'
const form = { token, password, repeated: password }
const own = { origin: 'http://localhost', 'sec-fetch-site': 'same-origin', host: 'localhost' }
const mails = { allowForgotPassword: true, verifyEmailAddress: true }
const fails = (error: Error) => () => {
  throw error
}
const used = fails(refused(say('MAILED_LINK_USED')))

let gateway: Gateway
afterEach(async () => await gateway?.[Symbol.asyncDispose]())

test('the texts in German have all keys and values of the English ones, codes are declared', () => {
  expect(messageValues(de, 'de')).toEqual(messageValues(en, 'en'))
  const codes = [en.password, en.email, en.whole].flatMap((part) => Object.keys(part))
  expect(codes.filter((code) => code !== 'other' && !(code in reasons))).toEqual([])
})

interface Row {
  url: string
  /** Fields of the form to post; none reads the page. */
  fields?: Record<string, string>
  stubs?: Stubs
  features?: Record<string, boolean>
  headers?: Record<string, string>
  shown: [status: number, title: string, text: string]
}

const rows: Row[] = [
  { url: '/', shown: [200, 'Coffer: Haushaltsplanung', 'Die ersten zehn Minuten'] },
  { url: `/password/reset?token=${token}`, shown: [200, 'Neues Passwort festlegen', 'Eine neue'] },
  { url: '/password/reset', shown: [400, 'Neues Passwort festlegen', 'den ganzen Link'] },
  { url: `/verify?token=${token}`, shown: [200, 'E-Mail-Adresse bestätigen', 'Anmelden'] },
  {
    url: `/verify/email?token=${token}`,
    stubs: { emails: { checkVerificationLink: used } },
    shown: [400, 'Dieser Link funktioniert nicht mehr', 'Hier bekommst du'],
  },
  {
    url: `/verify/email?token=${token}`,
    features: { verifyEmailAddress: false },
    shown: [404, 'E-Mail-Adressen werden hier nicht bestätigt', 'ohne Bestätigung'],
  },
  { url: '/password/forgot', shown: [200, 'Neues Passwort anfordern', 'E-Mail-Adresse deines'] },
  {
    url: '/password/forgot',
    features: { allowForgotPassword: false },
    shown: [404, 'Neues Passwort anfordern', 'coffer login:reset-password'],
  },
  {
    url: '/verify/resend',
    features: { proofOfWorkEnabled: true },
    shown: [200, 'Eine neue Bestätigungsmail anfordern', 'POST /api/authentication/verify/resend'],
  },
  {
    url: '/password/forgot',
    fields: { email: 'ann@example.com' },
    stubs: { passwords: { forgotPassword: () => ({}) } },
    shown: [200, 'Sieh in dein Postfach', 'eine E-Mail mit einem Link'],
  },
  {
    url: '/password/forgot',
    fields: { email: 'ann' },
    shown: [400, 'Neues Passwort anfordern', 'keine gültige E-Mail-Adresse'],
  },
  { url: '/password/reset', fields: form, shown: [200, 'Dein Passwort ist geändert', 'beendet'] },
  {
    url: '/password/reset',
    fields: { ...form, repeated: 'another' },
    shown: [400, 'Neues Passwort festlegen', 'Die beiden Passwörter sind verschieden.'],
  },
  {
    url: '/password/reset',
    fields: { ...form, password: 'short', repeated: 'short' },
    shown: [400, 'Neues Passwort festlegen', 'Das Passwort muss 8 bis 72 Zeichen haben.'],
  },
  {
    url: '/password/reset',
    fields: form,
    stubs: { passwords: { resetPassword: fails(invalid({ password: say('PASSWORD_COMMON') })) } },
    shown: [400, 'Neues Passwort festlegen', 'Das Passwort ist eines der häufigsten.'],
  },
  {
    url: '/password/reset',
    fields: form,
    stubs: { passwords: { resetPassword: fails(invalid({ password: 'is odd' })) } },
    shown: [400, 'Neues Passwort festlegen', 'Das Passwort wird abgelehnt: is odd.'],
  },
  {
    url: '/verify',
    fields: { token },
    shown: [200, 'Deine E-Mail-Adresse ist bestätigt', 'jetzt'],
  },
  {
    url: '/verify',
    fields: { token },
    stubs: { emails: { verifyEmail: fails(unavailable(say('DATABASE_BUSY'))) } },
    shown: [503, 'Das hat nicht geklappt', 'Die Datenbank ist ausgelastet'],
  },
  {
    url: '/verify',
    fields: { token },
    stubs: {
      attempts: {
        admitAttempt: fails(
          refused(say('TOO_MANY_ATTEMPTS'), { status: 429, retryAfterSeconds: 42 }),
        ),
      },
    },
    shown: [429, 'Das wurde abgelehnt', 'Versuch es in 42 Sekunden noch einmal.'],
  },
  {
    url: '/password/reset',
    fields: { password: 'x'.repeat(16_384) },
    shown: [413, 'Das wurde abgelehnt', 'Das Formular ist größer als 16 KiB.'],
  },
  {
    url: '/password/reset',
    fields: form,
    headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    shown: [403, 'Das wurde abgelehnt', 'Seiten von anderswo'],
  },
]

test.each(rows)('in German %#: $url $shown.0 $shown.1', async (row) => {
  const { url, fields, stubs = {}, features, headers, shown } = row
  const offered = { getFeatures: () => ({ ...mails, ...features }) }
  const { passwords, emails, ...others } = stubs
  const resets = { resetPassword: () => ({}), ...passwords }
  const verifies = { verifyEmail: () => ({}), ...emails }
  gateway = await createGateway({
    ...others,
    features: offered,
    passwords: resets,
    emails: verifies,
  })
  const sent = { 'accept-language': 'de-AT, en;q=0.5', ...own, ...headers }
  const type = 'application/x-www-form-urlencoded'
  const answer = fields
    ? await gateway.send('POST', url, {
        as: null,
        body: new URLSearchParams(fields).toString(),
        headers: { ...sent, 'content-type': type },
      })
    : await gateway.send('GET', url, { as: null, headers: sent })
  const { document } = parseHTML(answer.text)
  const [status, title, text] = shown
  expect([answer.status, document.querySelector('h1')?.textContent]).toEqual([status, title])
  expect(document.querySelector('main')?.textContent).toContain(text)
  expect(document.documentElement.getAttribute('lang')).toBe('de')
  expect(answer.headers['content-language']).toBe('de')
  expect(String(answer.headers.vary)).toContain('accept-language')
})

test.each([
  [undefined, 'en'],
  ['*', 'en'],
  ['fr', 'en'],
  ['fr, de;q=0.4', 'de'],
  ['en-GB, de', 'en'],
  ['de;q=0', 'en'],
])('Accept-Language %j gets %s', async (accepted, language) => {
  gateway = await createGateway({ features: { getFeatures: () => mails } })
  const headers = accepted === undefined ? {} : { 'accept-language': accepted }
  const answer = await gateway.send('GET', '/password/forgot', { as: null, headers })
  expect(answer.headers['content-language']).toBe(language)
})
