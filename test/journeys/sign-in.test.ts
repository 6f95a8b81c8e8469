import { type Coffer as Client, sessionOf } from '@coffer/client'
import type { CreateChallengeData, SignInData } from '@coffer/client/types'
import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newBetaCode } from '../harness/beta-code.ts'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import { call, clientOf, statusOf } from '../harness/person.ts'
import { isSolved, solve } from '../harness/proof-of-work.ts'

const difficulty = 10
const password = 'a long enough password'

let coffer: Coffer
let visitor: Client

beforeAll(async () => {
  coffer = await startCoffer({
    COFFER_PROOF_OF_WORK_ENABLED: 'true',
    COFFER_PROOF_OF_WORK_DIFFICULTY: String(difficulty),
    COFFER_BETA_CODES_ENABLED: 'true',
    COFFER_RELEASE: '1.2.3',
  })
  visitor = clientOf(coffer.baseUrl)
})

afterAll(async () => {
  coffer.booted.clock.now = null
  await coffer[Symbol.asyncDispose]()
})

type Purpose = CreateChallengeData['body']['purpose']

const login = (body: SignInData['body']) => visitor.signIn({ body })

/** Requests a proof-of-work challenge, for example to register. Returns it with its solution. */
async function solveChallenge(purpose: Purpose) {
  const { data } = await visitor.createChallenge({ body: { purpose } })
  expect(data).toEqual({ challenge: expect.any(String), difficulty, ttl: 300 })
  const { challenge } = data
  return { challenge, nonce: solve(challenge, difficulty) }
}

const betaCode = () => newBetaCode(coffer)

const newcomer = () => ({
  email: `${newId('person').replace('_', '.')}@example.com`,
  password,
  firstName: 'Pat',
})

async function register() {
  const person = newcomer()
  const body = { ...person, betaCode: await betaCode(), ...(await solveChallenge('register')) }
  const session = sessionOf(await visitor.registerAccount({ body }))
  return { ...person, session: clientOf(coffer.baseUrl, { session }) }
}

test('the configuration names the features that are on', async () => {
  expect((await visitor.getConfig()).data).toEqual({
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
    const { email, session } = await register()
    const proven = { email, password, ...(await solveChallenge('login')) }
    await login(proven)
    await expect(login(proven)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('used'),
    })
    const made = { name: 'Script', ...(await solveChallenge('create_api_key')) }
    const { apiKeyId } = (await session.createApiKey({ body: made })).data
    const body = await solveChallenge('delete_api_key')
    await session.deleteApiKey({ path: { apiKeyId }, body })
  })

  test('counts once for concurrent requests, and for a request that fails', async () => {
    const { email } = await register()
    const wrong = { email, password: 'not this password', ...(await solveChallenge('login')) }
    const all = await Promise.all([1, 2, 3, 4].map(() => statusOf(login(wrong))))
    expect(all.sort()).toEqual([400, 400, 400, 401])
  })

  test('is refused for another purpose, without a solution and after its time', async () => {
    const { email } = await register()
    const person = { email, password }
    const other = await solveChallenge('forgot')
    expect(await statusOf(login({ ...person, ...other }))).toBe(400)
    const { challenge } = await solveChallenge('login')
    let unsolved = 0
    while (isSolved(challenge, unsolved, difficulty)) unsolved += 1
    expect(await statusOf(login({ ...person, challenge, nonce: unsolved }))).toBe(400)
    const late = await solveChallenge('login')
    coffer.booted.clock.now = new Date(Date.now() + 302_000)
    const refusal = await login({ ...person, ...late }).catch((error) => error)
    coffer.booted.clock.now = null
    expect(refusal).toMatchObject({ status: 400, message: expect.stringContaining('expir') })
  })

  test.each([
    [{}, ['challenge', 'nonce']],
    [{ challenge: 'a', nonce: '1' }, ['nonce']],
    [{ challenge: 'a', nonce: -1 }, ['nonce']],
    [{ challenge: 'a', nonce: 1.5 }, ['nonce']],
  ])('%j names the fields', async (keys, fields) => {
    const body = { email: 'a@example.com', password, ...keys }
    const answer = await call(coffer.baseUrl, 'POST', '/authentication/login', { body })
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
    const registering = bodies.map((body) => statusOf(visitor.registerAccount({ body })))
    expect((await Promise.all(registering)).sort()).toEqual([200, 400, 400])
  })

  test('is not used up by a registration that fails', async () => {
    const { email } = await register()
    const code = await betaCode()
    const taken = { ...newcomer(), email, betaCode: code, ...(await solveChallenge('register')) }
    expect(await statusOf(visitor.registerAccount({ body: taken }))).toBe(428)
    const free = { ...newcomer(), betaCode: code, ...(await solveChallenge('register')) }
    expect(await statusOf(visitor.registerAccount({ body: free }))).toBe(200)
  })

  test.each([undefined, null, '', '00000000-00000000'])('%j is refused', async (code) => {
    const body = { ...newcomer(), ...(await solveChallenge('register')) }
    const sent = code === undefined ? body : { ...body, betaCode: code }
    await expect(visitor.registerAccount({ body: sent })).rejects.toMatchObject({
      status: 400,
      problems: { betaCode: expect.any(String) },
    })
  })
})
