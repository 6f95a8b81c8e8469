import { findOperation } from '../harness/answer-check.ts'
import type { Household } from './household.ts'
import { refusesUnknown } from './not-found.ts'
import type { Ada } from './sign-in.ts'
import type { World } from './world.ts'

/** Bytes of a body beyond the largest. */
const tooLarge = 7 * 1024 * 1024

const bank = { institutionName: 'Prairie State Bank' }

/** Sends requests that are refused: for each status one of each group of operations. */
export async function refusals(world: World, ada: Ada, home: Household): Promise<void> {
  const { refuse } = world.recorder
  const { linkId } = home
  const { headers } = ada
  await refusesInput(world, ada, home)
  await refusesCredentials(world, ada)
  await refusesUnknown(world, ada, home)
  await refuse(405, 'PUT', `/links/${linkId}`, {
    headers,
    body: {},
    name: 'method',
    summary: 'The path has no such method',
  })
  await refuse(413, 'POST', '/links', {
    headers,
    body: { ...bank, description: 'x'.repeat(tooLarge) },
    name: 'size',
    summary: 'A body that is too large',
  })
  await refuse(413, 'POST', '/authentication/login', {
    body: { email: 'x'.repeat(tooLarge / 100) },
    name: 'signIn',
    summary: 'A body that is too large before sign-in',
  })
  await refuse(413, 'POST', '/stripe/webhook', {
    headers: { 'stripe-signature': 'unknown' },
    body: { id: 'x'.repeat(tooLarge / 6) },
    name: 'webhook',
    summary: 'A message that is too large',
  })
  await refusesWrites(world, ada, home)
  await refuse(500, 'POST', '/aggregator/token/callback', {
    headers: ada.sessionHeaders,
    body: { publicToken: 'public-sandbox-unknown', accountIds: ['unknown'] },
    name: 'provider',
    summary: 'Plaid refuses a public token',
    isOwn: true,
  })
}

async function refusesInput(world: World, ada: Ada, { path, linkId, tripId }: Household) {
  const { refuse } = world.recorder
  const { headers, sessionHeaders } = ada
  await refuse(400, 'POST', `${path}/transactions`, {
    headers,
    body: { name: 'Lunch', amount: 12.5, date: '2026-03-02', merchant: 'Corner Bakery' },
    name: 'problems',
    summary: 'A new transaction with three faults',
    isOwn: true,
  })
  await refuse(400, 'POST', `${path}/spending/transfer`, {
    headers,
    body: { fromSpendingId: tripId, toSpendingId: null, amount: 9_000_000 },
    name: 'amount',
    summary: 'A transfer of more than the envelope holds',
    isOwn: true,
  })
  await refuse(400, 'PATCH', `/links/${linkId}`, {
    headers,
    body: { colour: 'green' },
    name: 'key',
    summary: 'A body with a key that the operation does not have',
  })
  await refuse(400, 'GET', '/overview?fields=balances', {
    headers,
    name: 'fields',
    summary: 'A key that the answer does not have',
  })
  const form = new FormData()
  form.set('file', new File(['Date,Amount\n'], 'march.csv'))
  await refuse(400, 'POST', `${path}/transactions/import`, {
    headers,
    form,
    name: 'form',
    summary: 'A form whose part has another name',
  })
  await refuse(400, 'GET', '/links?limit=500', {
    headers,
    name: 'page',
    summary: 'A page that is too long',
  })
  for (const read of [
    '/health',
    '/config',
    '/users/me',
    '/billing/portal',
    '/aggregator/token/new',
  ]) {
    const { operationId } = findOperation('GET', `/api${read}`)
    await refuse(400, 'GET', `${read}?fields=colour`, {
      headers: sessionHeaders,
      name: operationId,
      summary: 'A key that the answer does not have',
      isOwn: true,
    })
  }
  await refusesIds(world, ada, path)
  await refuse(415, 'POST', '/links', {
    headers: { ...headers, 'content-type': 'text/plain' },
    body: bank,
    name: 'json',
    summary: 'A body that is not application/json',
  })
  await refuse(415, 'POST', `${path}/transactions/import`, {
    headers,
    body: bank,
    name: 'form',
    summary: 'A body that is not multipart/form-data',
  })
}

/** Sends IDs that are not well-formed, one of each kind. */
async function refusesIds({ recorder }: World, ada: Ada, path: string): Promise<void> {
  const cases: [name: string, method: string, path: string][] = [
    ['userId', 'GET', '/users/42'],
    ['checkoutSessionId', 'GET', '/billing/checkout/42'],
    ['institutionId', 'GET', '/institutions/42'],
    ['linkId', 'GET', '/links/42'],
    ['bankAccountId', 'GET', '/bank_accounts/42'],
    ['fundingScheduleId', 'GET', `${path}/funding_schedules/42`],
    ['spendingId', 'GET', `${path}/spending/42`],
    ['transactionId', 'GET', `${path}/transactions/42`],
    ['bulkOperationId', 'DELETE', '/operations/42'],
    ['transactionUploadId', 'GET', `${path}/transactions/upload/42`],
    ['transactionImportId', 'GET', `${path}/transactions/import/42`],
    ['transactionImportMappingId', 'DELETE', '/mappings/42'],
    ['ruleId', 'DELETE', '/rules/42'],
    ['uploadGroupId', 'GET', '/uploads/42'],
    ['ruleRunId', 'GET', '/rules/runs/42'],
    ['ruleRunId', 'DELETE', '/rules/runs/42'],
    ['ruleSuggestionId', 'POST', '/rules/suggestions/42/accept'],
    ['ruleSuggestionId', 'POST', '/rules/suggestions/42/dismiss'],
    ['webhookId', 'GET', '/webhooks/42'],
    ['feedLinkId', 'GET', '/feed/link/42'],
  ]
  for (const [name, method, url] of cases) {
    const isOfSession = /^.(users|billing|institutions)/.test(url)
    await recorder.refuse(400, method, url, {
      headers: isOfSession ? ada.sessionHeaders : ada.headers,
      name,
      summary: 'An ID that is not well-formed',
    })
  }
}

async function refusesCredentials(world: World, ada: Ada): Promise<void> {
  const { refuse } = world.recorder
  await refuse(401, 'GET', '/links', {
    headers: { authorization: 'Bearer secret' },
    name: 'credential',
    summary: 'Bearer instead of Basic, and no session',
  })
  await refuse(401, 'GET', '/keys', {
    headers: ada.headers,
    name: 'session',
    summary: 'An API key instead of a session',
  })
  await refuse(401, 'POST', '/authentication/multifactor', {
    headers: ada.sessionHeaders,
    body: { totp: '123456' },
    name: 'notPending',
    summary: 'A session that needs no code',
  })
  await refuse(403, 'PATCH', '/users/me', {
    headers: { ...ada.sessionHeaders, origin: 'https://other.example.org' },
    body: { lastName: 'Young' },
    name: 'origin',
    summary: 'A request of a page of another origin',
  })
}

/** Repeats a change with an old tag, and a creation with the Idempotency-Key of another one. */
async function refusesWrites({ recorder }: World, ada: Ada, home: Household): Promise<void> {
  const { key, headers } = ada
  const goalPath = `${home.path}/spending/${home.tripId}`
  const goal = await key('GET', goalPath, { isShown: false })
  const stale = goal.headers.get('etag') ?? ''
  const body = { name: 'Trip to Bergen' }
  await key('PATCH', goalPath, { body, isShown: false })
  await recorder.refuse(412, 'PATCH', goalPath, {
    headers: { ...headers, 'if-match': stale },
    body,
    name: 'changed',
    summary: 'The object has changed since it was read',
  })
  const keyed = { ...headers, 'idempotency-key': 'link-1' }
  await key('POST', '/links', { headers: keyed, body: bank, isShown: false })
  await recorder.refuse(422, 'POST', '/links', {
    headers: keyed,
    body: { institutionName: 'First Platypus Bank' },
    name: 'key',
    summary: 'The key of another request',
  })
}
