import { invalid, refused } from '@coffer/kit/rpc/errors'
import { headers as names } from '@coffer/kit/rpc/rpc'
import { afterEach, describe, expect, test } from '@jest/globals'
import { parseHTML } from 'linkedom'
import { createGateway, type Gateway } from '../gateway.ts'
import type { Stubs } from '../stub-mesh.ts'

const token = 'a'.repeat(52)
const password = 'a long enough password'
const formType = 'application/x-www-form-urlencoded'
const own = { origin: 'http://localhost', 'sec-fetch-site': 'same-origin', host: 'localhost' }
const features = { getFeatures: () => ({ verifyEmailAddress: true }) }

let gateway: Gateway
afterEach(async () => await gateway?.[Symbol.asyncDispose]())

async function open(stubs: Stubs = {}, environment: Record<string, string> = {}) {
  gateway = await createGateway({ features, ...stubs }, environment)
}

async function show(method: string, url: string, more: object = {}) {
  const answer = await gateway.send(method, url, { as: null, ...more })
  const { document } = parseHTML(answer.text)
  const textOf = (selector: string) => document.querySelector(selector)?.textContent ?? null
  return { ...answer, document, title: textOf('h1'), fault: textOf('[role=alert]') }
}

function post(url: string, fields: Record<string, string>, headers: Record<string, string> = own) {
  const body = new URLSearchParams(fields).toString()
  return show('POST', url, { body, headers: { 'content-type': formType, ...headers } })
}

const reset = (more: Record<string, string> = {}) =>
  post('/password/reset', { token, password, repeated: password, ...more })

describe('the landing page', () => {
  test('has relative links to what is served: the document and the health', async () => {
    await open()
    const { status, document, headers } = await show('GET', '/')
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    const links = [...document.querySelectorAll('a')].map((one) => one.getAttribute('href') ?? '')
    const served = ['api/reference/first-ten-minutes', 'api/openapi.json', 'api/health']
    expect(links).toEqual(expect.arrayContaining(served))
    expect(document.title).toBe('Coffer: personal budgeting')
    for (const link of links) expect((await gateway.send('GET', `/${link}`)).status).toBe(200)
    expect((await gateway.send('HEAD', '/', { as: null })).text).toBe('')
    const wrong = await gateway.send('POST', '/', { as: null })
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'GET, HEAD'])
  })
})

describe('a page of a mailed link', () => {
  test.each(['/', `/password/reset?token=${token}`, `/verify?token=${token}`])(
    '%s runs no script, loads nothing and is not stored or referred to',
    async (url) => {
      await open({ features })
      const { text, headers, document, title } = await show('GET', url)
      expect(document.title.replace(' – Coffer', '')).toBe(title)
      const policy = String(headers['content-security-policy'])
      expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^' ]+'; form-action 'self'; /)
      expect(policy).toMatch(/base-uri 'none'; frame-ancestors 'none'$/)
      expect(headers).toMatchObject({
        'referrer-policy': 'strict-origin',
        'cache-control': 'no-store',
        'x-frame-options': 'DENY',
      })
      expect(text).not.toMatch(/<script|<link|<img|\son\w+=|\sstyle=/i)
      expect(document.documentElement.getAttribute('lang')).toBe('en')
      for (const input of document.querySelectorAll('input[type=password]')) {
        const label = document.querySelector(`label[for=${input.getAttribute('id')}]`)
        expect(label?.textContent).not.toBe('')
      }
    },
  )

  test('uses up no token, and posts to itself without the token in the URL', async () => {
    await open({ features })
    const table = [
      ['/password/reset', 'reset'],
      ['/verify/email', 'email'],
      ['/verify', 'verify'],
    ] as const
    for (const [path, action] of table) {
      const { status, document } = await show('GET', `${path}?token=${token}`)
      const form = document.querySelector('form')
      expect([status, form?.getAttribute('action')]).toEqual([200, action])
      expect(form?.querySelector('[name=token]')?.getAttribute('value')).toBe(token)
    }
    const received = new Set(gateway.received.map(({ rpc }) => rpc))
    expect([...received]).toEqual(['CheckResetLink', 'GetFeatures', 'CheckVerificationLink'])
  })

  test.each([true, false])('names the page for another mail if there are any: %s', async (is) => {
    await open({ features: { getFeatures: () => ({ allowForgotPassword: is }) } })
    const { status, document } = await show('GET', `/password/reset?token=${token}`)
    const links = [...document.querySelectorAll('a')].map((one) => one.getAttribute('href'))
    expect([status, links.some((one) => one?.endsWith('forgot'))]).toEqual([200, is])
  })

  test('without a token says where to find it', async () => {
    await open({ features: { getFeatures: () => ({}) } })
    const { status, document, text } = await show('GET', '/password/reset')
    expect([status, document.querySelector('form')]).toEqual([400, null])
    expect(text).toContain('needs the link from the mail')
    const blank = await reset({ token: ' ' })
    expect([blank.status, blank.text]).toEqual([400, expect.stringContaining('needs the link')])
  })

  test('escapes whatever the token has', async () => {
    await open({
      passwords: {
        resetPassword: () => {
          throw refused('no such link')
        },
      },
    })
    const hostile = `"><script>alert(1)</script><b x='&amp;`
    const query = new URLSearchParams({ token: hostile })
    for (const shown of [
      await show('GET', `/password/reset?${query}`),
      await reset({ token: hostile }),
    ]) {
      expect(shown.text).not.toContain('<script')
      expect(shown.document.querySelectorAll('b')).toHaveLength(0)
      const value = shown.document.querySelector('[name=token]')?.getAttribute('value')
      expect(value).toBe(hostile)
    }
  })

  test('sets a password by the call of the JSON endpoint', async () => {
    await open({ passwords: { resetPassword: () => ({}) } })
    const { status, title } = await reset({ unknown: 'ignored' })
    expect([status, title]).toEqual([200, 'Your password is changed'])
    const { message, header } = gateway.received.find(({ rpc }) => rpc === 'ResetPassword')!
    expect(message).toMatchObject({ token, password })
    expect(header.get(names.requestId)).toMatch(/^req_/)
  })

  test.each([
    [{ password: 'short', repeated: 'short' }, 'The password must have 8 to 72 characters.'],
    [{ repeated: 'another long password' }, 'The two passwords differ.'],
    [{}, 'The password is one of the most common passwords.'],
    [{ password: ' ', repeated: '' }, 'Enter a new password of 8 to 72 characters, twice.'],
    [{ password: 'tab\there', repeated: 'x' }, 'The password must have printable characters only.'],
  ])('shows the form again with a refusal in words: %#', async (fields, fault) => {
    const resetPassword = () => {
      throw invalid({ password: 'is one of the most common passwords' })
    }
    await open({ passwords: { resetPassword } })
    const shown = await reset(fields)
    expect([shown.status, shown.fault]).toEqual([400, fault])
    expect(shown.document.title).toBe('Error: Set a new password – Coffer')
    const focused = [...shown.document.querySelectorAll('[autofocus]')]
    expect(focused.map(({ id }) => id)).toEqual(['password'])
    for (const input of shown.document.querySelectorAll('input[type=password]')) {
      expect(input.getAttribute('aria-describedby')).toBe('fault')
    }
    expect(shown.document.querySelector('[name=token]')?.getAttribute('value')).toBe(token)
    expect(shown.text).not.toContain(password)
  })

  test('without any field asks for a new password, and shows refusals as sentences', async () => {
    const resetPassword = () => {
      throw refused('the link is not valid or has expired')
    }
    await open({ passwords: { resetPassword } })
    const missing = await post('/password/reset', { token })
    expect(missing.fault).toBe('Enter a new password of 8 to 72 characters, twice.')
    expect((await reset()).fault).toBe('The link is not valid or has expired.')
  })

  test('verifies an address where verification is on', async () => {
    await open({ emails: { verifyEmail: () => ({}) }, features })
    for (const path of ['/verify/email', '/verify']) {
      const { status, title } = await post(path, { token })
      expect([status, title]).toEqual([200, 'Your email address is verified'])
    }
  })

  test('where verification is off, shows no form and says so with 404', async () => {
    await open({ features: { getFeatures: () => ({}) } })
    for (const path of ['/verify/email', '/verify']) {
      const pages = [
        await show('GET', `${path}?token=${token}`),
        await show('GET', path),
        await post(path, { token }),
      ]
      for (const { status, title, text, document } of pages) {
        expect([status, title]).toEqual([404, 'Email addresses are not verified here'])
        expect(text).toContain('You can sign in without it.')
        expect(document.querySelector('form')).toBeNull()
      }
    }
    expect(gateway.received.filter(({ rpc }) => rpc !== 'GetFeatures')).toEqual([])
  })

  test('refuses forms of other origins, of another type, with a coding, above 16 KiB', async () => {
    await open({ passwords: { resetPassword: () => ({}) } })
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const coded = { ...own, 'content-encoding': 'gzip' }
    const table = [
      [await post('/password/reset', { token, password }, coded), 415],
      [await post('/password/reset', { token, password }, foreign), 403],
      [await reset({ password: 'x'.repeat(16_384) }), 413],
      [await show('POST', '/password/reset', { body: {}, headers: own }), 415],
    ] as const
    for (const [{ status, headers, title }, expected] of table) {
      expect([status, title]).toEqual([expected, 'This was refused'])
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
    }
    expect(gateway.received.filter(({ rpc }) => rpc === 'ResetPassword')).toEqual([])
  })

  test('counts refused attempts with those of the JSON endpoint', async () => {
    const admitAttempt = () => {
      throw refused('too many attempts', { status: 429, retryAfterSeconds: 42 })
    }
    await open({ attempts: { admitAttempt } })
    const { status, headers, text } = await reset()
    expect([status, headers['retry-after']]).toEqual([429, '42'])
    expect(text).toContain('Try again in 42 seconds.')
  })
})
