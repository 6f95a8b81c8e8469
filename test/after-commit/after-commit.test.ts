import { definitions } from '@coffer/cli/process/services'
import { started } from '@coffer/host/testing/started'
import { newId } from '@coffer/kit/values/id'
import { beforeAll, expect, test } from '@jest/globals'
import { generateSync } from 'otplib'
import type { Take } from '../examples/recorder.ts'
import { startCoffer } from '../harness/coffer.ts'
import { basicOf, cookieOf } from '../harness/person.ts'
import { feedAccount, startLunchFlow } from '../providers/lunch-flow.ts'
import { createFaultyRecorder, type Tally } from './faulty-recorder.ts'
import type { FaultKind } from './observed-request.ts'
import { observed } from './observed-services.ts'
import { plansAndDeletes } from './planned-account.ts'

const feed = started(() => startLunchFlow())
const coffer = started(() =>
  startCoffer(
    {
      COFFER_FEED_ENABLED: 'true',
      COFFER_FEED_ALLOWED_URLS: feed.url,
      COFFER_FEED_PRIVATE_ADDRESSES: 'true',
      COFFER_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1:1',
    },
    observed(definitions),
  ),
)

beforeAll(() => {
  feed.accounts.push(feedAccount(1))
})

type As = (credential: Record<string, string>) => Take

const password = 'a long enough password'

/** Registers a person, signs in by the second factor, and changes the person's data. */
async function signsIn(as: As): Promise<Take> {
  const anyone = as({})
  const email = `${newId('person')}@example.com`
  const named = { firstName: 'Pat', timezone: 'America/Chicago' }
  const registered = await anyone('POST', '/authentication/register', {
    body: { email, password, ...named },
  })
  const session = as({ cookie: cookieOf(registered) })
  await session('PATCH', '/users/me', { body: { firstName: 'Ada' } })
  const moved = { timezone: 'America/Chicago', currentPassword: password }
  await session('PUT', '/users/me/timezone', { body: moved })
  const { body: key } = await session('POST', '/keys', { body: { name: 'test' } })
  const { body: setUp } = await session('POST', '/users/security/totp/setup')
  const secret = new URL(setUp.uri).searchParams.get('secret') ?? ''
  const totp = generateSync({ secret })
  await session('POST', '/users/security/totp/confirm', { body: { totp } })
  const owing = await anyone('POST', '/authentication/login', { body: { email, password } })
  const [code] = setUp.recoveryCodes
  await as({ cookie: cookieOf(owing) })('POST', '/authentication/multifactor', {
    body: { totp: code },
  })
  return as({ authorization: basicOf(key) })
}

/** Links a bank account over the feed, changes both, and archives it. */
async function linksFeed(key: Take): Promise<void> {
  const { body: connection } = await key('POST', '/feed/link', {
    body: { name: 'Home', feedURL: feed.url, apiKey: feed.apiKey },
  })
  const { feedLinkId } = connection
  const { body: link } = await key('POST', '/links', {
    body: { institutionName: 'First Bank', feedLinkId },
  })
  const { linkId } = link
  await key('PATCH', `/links/${linkId}`, { body: { description: 'Ours' } })
  await key('POST', `/feed/link/${feedLinkId}/bank_accounts/refresh`)
  const { body: candidates } = await key('GET', `/feed/link/${feedLinkId}/bank_accounts`)
  const { feedBankAccountId } = candidates[0]
  const { body: account } = await key('POST', '/bank_accounts', {
    body: { linkId, name: 'Checking', feedBankAccountId },
  })
  const path = `/bank_accounts/${account.bankAccountId}`
  await key('PATCH', path, { body: { name: 'Joint checking' } })
  await key('DELETE', path)
}

/** Creates a webhook that nothing answers, changes it and its secrets, and deletes it. */
async function sendsChanges(key: Take): Promise<void> {
  const { body: webhook } = await key('POST', '/webhooks', {
    body: { url: 'http://127.0.0.1:1/', types: ['rule.created'] },
  })
  const path = `/webhooks/${webhook.webhookId}`
  await key('PATCH', path, { body: { description: 'Sheet' } })
  await key('POST', `${path}/secret`)
  await key('DELETE', `${path}/secret/former`)
  await key('DELETE', path)
}

/** Numbers of steps that fail, one after the other; the long test goes through all kinds. */
const steps: [FaultKind, number][] = [
  ['unavailable', 10],
  ['deadline', 1],
]

test.each(steps)('a committed write is answered with a success: %s', async (kind, stepsMax) => {
  const tally: Tally = { succeeded: new Set(), faults: 0, violations: [] }
  let met = -1
  for (let index = 0; index < stepsMax && tally.faults > met; index += 1) {
    met = tally.faults
    const { as } = createFaultyRecorder({ index, kind }, tally)(coffer.baseUrl)
    const key = await signsIn(as)
    await linksFeed(key)
    await plansAndDeletes(key)
    await sendsChanges(key)
  }
  expect(tally.violations).toEqual([])
  expect(tally.faults).toBeGreaterThan(5)
})
