import { refused } from '@coffer/kit/rpc/errors'
import { afterEach, expect, test } from '@jest/globals'
import { parseHTML } from 'linkedom'
import { createGateway, type Gateway } from '../gateway.ts'
import type { Stubs } from '../stub-mesh.ts'

const token = 'a'.repeat(52)
const formType = 'application/x-www-form-urlencoded'
const own = { origin: 'http://localhost', 'sec-fetch-site': 'same-origin', host: 'localhost' }
const mails = { allowForgotPassword: true, verifyEmailAddress: true }
const withWork = { ...mails, proofOfWorkEnabled: true }
const notValid = () => {
  throw refused('this link was used or is not valid any more: ask for another')
}
const password = 'a long enough password'

let gateway: Gateway
afterEach(async () => await gateway?.[Symbol.asyncDispose]())

async function open(features: Partial<typeof withWork>, stubs: Stubs = {}) {
  gateway = await createGateway({ features: { getFeatures: () => features }, ...stubs })
}

async function show(method: string, url: string, more: object = {}) {
  const answer = await gateway.send(method, url, { as: null, ...more })
  const { document } = parseHTML(answer.text)
  const textOf = (selector: string) => document.querySelector(selector)?.textContent ?? null
  const action = document.querySelector('form')?.getAttribute('action') ?? null
  return { ...answer, document, title: textOf('h1'), fault: textOf('[role=alert]'), action }
}

function post(url: string, fields: Record<string, string>) {
  const body = new URLSearchParams(fields).toString()
  return show('POST', url, { body, headers: { 'content-type': formType, ...own } })
}

const linkPages = [
  { page: '/password/reset', action: '../password/forgot', asks: '/password/forgot' },
  { page: '/verify/email', action: '../verify/resend', asks: '/verify/resend' },
  { page: '/verify', action: './verify/resend', asks: '/verify/resend' },
]

test.each(linkPages)(
  'a used link of $page says so when it is opened, and asks for another mail',
  async (row) => {
    const checks = { checkResetLink: notValid, checkVerificationLink: notValid }
    const emails = { ...checks, resendVerification: () => ({}) }
    await open(mails, { passwords: { ...checks, forgotPassword: () => ({}) }, emails })
    const { status, title, action, document } = await show('GET', `${row.page}?token=${token}`)
    expect([status, title]).toEqual([400, 'This link does not work any more'])
    expect(document.querySelector('input')?.getAttribute('name')).toBe('email')
    expect(action).toBe(row.action)
    expect(new URL(action ?? '', `http://h${row.page}`).pathname).toBe(row.asks)
    const asked = await post(row.asks, { email: 'Ann@Example.com' })
    expect([asked.status, asked.title]).toEqual([200, 'Look into your mailbox'])
    const { message } = gateway.received.at(-1) ?? {}
    expect(message).toMatchObject({ email: 'ann@example.com' })
  },
)

test('a link that is used while its form is open says so in place of the form', async () => {
  await open(mails, { passwords: { checkResetLink: notValid, resetPassword: notValid } })
  const used = await post('/password/reset', { token, password, repeated: password })
  expect([used.status, used.title]).toEqual([400, 'This link does not work any more'])
  expect([used.fault, used.action]).toEqual([null, '../password/forgot'])
})

test.each([
  { features: {}, status: 404, words: 'coffer login:reset-password' },
  { features: withWork, status: 200, words: 'POST /api/authentication/forgot' },
])('without a form the page names the way to another mail: %#', async (row) => {
  await open(row.features, { passwords: { checkResetLink: notValid } })
  const used = await show('GET', `/password/reset?token=${token}`)
  const asked = await show('GET', '/password/forgot')
  const posted = await post('/password/forgot', { email: 'ann@example.com' })
  expect([used.status, asked.status, posted.status]).toEqual([
    400,
    row.status,
    row.status === 404 ? 404 : 400,
  ])
  for (const { text, action } of [used, asked, posted]) {
    expect([text, action]).toEqual([expect.stringContaining(row.words), null])
  }
  expect(gateway.received.map(({ rpc }) => rpc)).not.toContain('ForgotPassword')
})

test('a malformed address shows the form again', async () => {
  await open(mails)
  const { status, fault, action } = await post('/password/forgot', { email: 'ann' })
  expect([status, action]).toEqual([400, '../password/forgot'])
  expect(fault).toMatch(/^The email address .*\.$/)
})

test('every page leads on', async () => {
  const passwords = { checkResetLink: () => ({}), resetPassword: () => ({}) }
  const emails = { checkVerificationLink: notValid }
  await open(mails, { passwords: { ...passwords, forgotPassword: () => ({}) }, emails })
  const email = 'ann@example.com'
  const pages = {
    '/password/reset?form': await show('GET', `/password/reset?token=${token}`),
    '/password/reset?none': await show('GET', '/password/reset'),
    '/password/reset?done': await post('/password/reset', { token, password, repeated: password }),
    '/password/reset?refused': await show('POST', '/password/reset', { body: {}, headers: own }),
    '/verify?used': await show('GET', `/verify?token=${token}`),
    '/verify/email?used': await show('GET', `/verify/email?token=${token}`),
    '/password/forgot?form': await show('GET', '/password/forgot'),
    '/password/forgot?done': await post('/password/forgot', { email }),
    '/verify/resend?form': await show('GET', '/verify/resend'),
  }
  for (const [url, { document }] of Object.entries(pages)) {
    const links = [...document.querySelectorAll('a')].map((one) => {
      return new URL(one.getAttribute('href') ?? '', `http://h${url}`).pathname
    })
    expect({ url, links }).toEqual({ url, links: expect.arrayContaining(['/', '/api/reference']) })
    for (const link of links) expect((await show('GET', link)).status).toBe(200)
  }
})
