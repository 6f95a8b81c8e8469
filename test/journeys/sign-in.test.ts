import { createHash } from 'node:crypto'
import { issueBetaCode } from '@coffer/identity/accounts/operator.service'
import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import { call } from '../harness/person.ts'

const difficulty = 10
const password = 'a long enough password'

let coffer: Coffer

beforeAll(async () => {
  coffer = await startCoffer({
    COFFER_PROOF_OF_WORK_ENABLED: 'true',
    COFFER_PROOF_OF_WORK_DIFFICULTY: String(difficulty),
    COFFER_BETA_CODES_ENABLED: 'true',
    COFFER_RELEASE: '1.2.3',
  })
})

afterAll(async () => {
  coffer.booted.clock.now = null
  await coffer[Symbol.asyncDispose]()
})

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  call(coffer.baseUrl, 'POST', path, { body, headers })

/** Returns whether the nonce solves the proof-of-work challenge (docs/sign-in.md#proof-of-work). */
function isSolved(challenge: string, nonce: number): boolean {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(nonce))
  const digest = createHash('sha256').update(`coffer-pow-v1:${challenge}:`).update(counter).digest()
  return digest.readUInt32BE(0) >>> (32 - difficulty) === 0
}

/** Requests a proof-of-work challenge, for example to register. Returns it with its solution. */
async function solveChallenge(purpose: string) {
  const { status, body } = await post('/authentication/challenge', { purpose })
  expect(status).toBe(200)
  expect(body).toEqual({ challenge: expect.any(String), difficulty, ttl: 300 })
  const { challenge } = body
  let nonce = 0
  while (!isSolved(challenge, nonce)) nonce += 1
  return { challenge, nonce }
}

async function betaCode(): Promise<string> {
  const { code } = await issueBetaCode(coffer.booted.database('identity'), new Date())
  return code
}

const newcomer = () => ({
  email: `${newId('person').replace('_', '.')}@example.com`,
  password,
  firstName: 'Pat',
})

async function register() {
  const person = newcomer()
  const body = { ...person, betaCode: await betaCode(), ...(await solveChallenge('register')) }
  const answer = await post('/authentication/register', body)
  expect(answer.status).toBe(200)
  const cookie = answer.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  return { ...person, cookie }
}

test('the configuration names the features that are on', async () => {
  const { status, body } = await call(coffer.baseUrl, 'GET', '/config')
  expect(status).toBe(200)
  expect(body).toEqual({
    requireLegalName: false,
    requirePhoneNumber: false,
    verifyLogin: false,
    verifyRegister: false,
    verifyForgotPassword: false,
    verifyEmailAddress: false,
    allowSignUp: true,
    allowForgotPassword: false,
    longPollAggregatorSetup: true,
    requireBetaCode: true,
    initialPlan: null,
    billingEnabled: false,
    iconsEnabled: true,
    aggregatorEnabled: expect.any(Boolean),
    feedEnabled: false,
    feedAllowedAPIURLs: [],
    manualEnabled: true,
    uploadsEnabled: true,
    proofOfWorkEnabled: true,
    release: '1.2.3',
    revision: '',
    buildType: 'binary',
    buildTime: '',
  })
})

describe('with every feature off', () => {
  let plain: Coffer

  beforeAll(async () => {
    plain = await startCoffer({ COFFER_ALLOW_SIGN_UP: 'false' })
  })

  afterAll(async () => {
    await plain[Symbol.asyncDispose]()
  })

  test.each([
    ['register', {}],
    ['register', { email: 'a@example.com', password, firstName: 'A' }],
    ['verify', {}],
    ['verify', { token: 'a' }],
    ['verify/resend', { email: 'a@example.com' }],
    ['forgot', {}],
    ['forgot', { email: 'a@example.com' }],
    ['forgotPassword', { email: 'a@example.com' }],
    ['challenge', { purpose: 'login' }],
    ['challenge', { purpose: 'nonsense' }],
  ])('%s with %j is 404, and says so', async (path, body) => {
    const answer = await call(plain.baseUrl, 'POST', `/authentication/${path}`, { body })
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual({ error: expect.stringContaining('not enabled') })
  })
})

describe('proof of work', () => {
  test('is required at sign-in and for API keys, and counts once', async () => {
    const { email, cookie } = await register()
    const login = { email, password, ...(await solveChallenge('login')) }
    expect((await post('/authentication/login', login)).status).toBe(200)
    const again = await post('/authentication/login', login)
    expect(again).toMatchObject({ status: 400, body: { error: expect.stringContaining('used') } })
    const made = { name: 'Script', ...(await solveChallenge('create_api_key')) }
    const { status, body } = await post('/keys', made, { cookie })
    expect(status).toBe(200)
    const revoke = { body: await solveChallenge('delete_api_key'), headers: { cookie } }
    const path = `/keys/${body.apiKeyId}`
    expect((await call(coffer.baseUrl, 'DELETE', path, revoke)).status).toBe(200)
  })

  test('counts once for concurrent requests, and for a request that fails', async () => {
    const { email } = await register()
    const wrong = { email, password: 'not this password', ...(await solveChallenge('login')) }
    const all = await Promise.all([1, 2, 3, 4].map(() => post('/authentication/login', wrong)))
    expect(all.map(({ status }) => status).sort()).toEqual([400, 400, 400, 401])
  })

  test('is refused for another purpose, without a solution and after its time', async () => {
    const { email } = await register()
    const login = (more: object) => post('/authentication/login', { email, password, ...more })
    expect((await login(await solveChallenge('forgot'))).status).toBe(400)
    const { challenge } = await solveChallenge('login')
    let unsolved = 0
    while (isSolved(challenge, unsolved)) unsolved += 1
    expect((await login({ challenge, nonce: unsolved })).status).toBe(400)
    const late = await solveChallenge('login')
    coffer.booted.clock.now = new Date(Date.now() + 302_000)
    const answer = await login(late)
    coffer.booted.clock.now = null
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('expir') } })
  })

  test.each([
    [{}, ['challenge', 'nonce']],
    [{ challenge: 'a', nonce: '1' }, ['nonce']],
    [{ challenge: 'a', nonce: -1 }, ['nonce']],
    [{ challenge: 'a', nonce: 1.5 }, ['nonce']],
  ])('%j names the fields', async (keys, fields) => {
    const body = { email: 'a@example.com', password, ...keys }
    const answer = await post('/authentication/login', body)
    expect(answer.status).toBe(400)
    expect(Object.keys(answer.body.problems).sort()).toEqual(fields)
  })
})

describe('a beta code', () => {
  test('is valid for one registration, in upper or lower case', async () => {
    const code = (await betaCode()).toLowerCase()
    const bodies = await Promise.all(
      [1, 2, 3].map(async () => ({
        ...newcomer(),
        betaCode: ` ${code} `,
        ...(await solveChallenge('register')),
      })),
    )
    const all = await Promise.all(bodies.map((body) => post('/authentication/register', body)))
    expect(all.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  })

  test('is not used up by a registration that fails', async () => {
    const { email } = await register()
    const code = await betaCode()
    const taken = { ...newcomer(), email, betaCode: code, ...(await solveChallenge('register')) }
    expect((await post('/authentication/register', taken)).status).toBe(428)
    const free = { ...newcomer(), betaCode: code, ...(await solveChallenge('register')) }
    expect((await post('/authentication/register', free)).status).toBe(200)
  })

  test.each([undefined, null, '', '00000000-00000000'])('%j is refused', async (code) => {
    const body = { ...newcomer(), ...(await solveChallenge('register')) }
    const sent = code === undefined ? body : { ...body, betaCode: code }
    const answer = await post('/authentication/register', sent)
    expect(answer.status).toBe(400)
    expect(Object.keys(answer.body.problems)).toEqual(['betaCode'])
  })
})
