import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import { type Answer, call } from '../harness/person.ts'
import { type MailSink, startMailSink } from '../providers/smtp.ts'

const password = 'a long enough password'
const samples = 40

let coffer: Coffer
let sink: MailSink
let known: string[]

beforeAll(async () => {
  sink = await startMailSink()
  coffer = await startCoffer({
    COFFER_SMTP_URL: sink.url,
    COFFER_SMTP_TLS: 'none',
    COFFER_SIGN_IN_LIMIT_PER_MINUTE: '10000',
    COFFER_EMAIL_VERIFICATION_ENABLED: 'true',
  })
  known = Array.from({ length: samples }, someAddress)
  await Promise.all(known.map((email) => post('register', { email, password, firstName: 'Pat' })))
})

afterAll(async () => {
  await coffer[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
})

function someAddress(): string {
  return `${newId('person').replace('_', '.')}@example.com`
}

function post(path: string, body: object): Promise<Answer> {
  return call(coffer.baseUrl, 'POST', `/authentication/${path}`, { body })
}

async function timed(ask: () => Promise<Answer>): Promise<number> {
  const before = performance.now()
  await ask()
  return performance.now() - before
}

/**
 * Returns Mann-Whitney's U divided by its maximum: the share of pairs in which the first sample's
 * value is larger. Equal distributions give about 1/2, samples without overlap 0 or 1.
 */
function shareLarger(some: number[], others: number[]): number {
  const wins = some.flatMap((one) => others.map((other) => (one > other ? 1 : 0) as number))
  return wins.reduce((sum, win) => sum + win, 0) / wins.length
}

describe.each([
  ['login', (email: string) => ({ email, password: 'not this password' })],
  ['forgot', (email: string) => ({ email })],
  ['verify/resend', (email: string) => ({ email })],
])('%s', (path, bodyOf) => {
  test('gives the same answer for known and unknown addresses', async () => {
    const [one, other] = await Promise.all(
      [known[0] as string, someAddress()].map((email) => post(path, bodyOf(email))),
    )
    expect([one?.status, one?.body]).toEqual([other?.status, other?.body])
    const names = ({ headers }: Answer) => [...headers.keys()].sort()
    expect(names(one as Answer)).toEqual(names(other as Answer))
  })

  // Timing attack. The bound is six standard deviations of the share for equal distributions. If
  // only known addresses cost a password hash or a mail, the share is nearly 0 or 1.
  test('takes as long for known as for unknown addresses', async () => {
    const [times, timesOfUnknown]: number[][] = [[], []]
    for (const email of known) {
      times?.push(await timed(() => post(path, bodyOf(email))))
      timesOfUnknown?.push(await timed(() => post(path, bodyOf(someAddress()))))
    }
    const share = shareLarger(times ?? [], timesOfUnknown ?? [])
    expect(share).toBeGreaterThan(0.1)
    expect(share).toBeLessThan(0.9)
  })
})

test('the test tells a request without a hash from one with a hash', async () => {
  const nothing: number[] = []
  const hashing: number[] = []
  for (const email of known) {
    nothing.push(await timed(() => post('login', { email: 'malformed', password })))
    hashing.push(await timed(() => post('login', { email, password: 'not this password' })))
  }
  expect(shareLarger(hashing, nothing)).toBeGreaterThan(0.9)
})
