import type { Household } from './household.ts'
import type { Ada } from './sign-in.ts'
import type { World } from './world.ts'

/** Sends requests that are refused, one for each status that a client often gets. */
export async function refusals(world: World, ada: Ada, home: Household): Promise<void> {
  const { refuse } = world.recorder
  const { path, linkId, tripId } = home
  const { headers } = ada
  await refuse(400, 'POST', `${path}/transactions`, {
    headers,
    body: { name: 'Lunch', amount: 12.5, date: '2026-03-02', merchant: 'Corner Bakery' },
    name: 'problems',
    summary: 'A new transaction with three faults',
  })
  await refuse(401, 'GET', '/links', {
    name: 'credential',
    summary: 'No API key and no session',
  })
  await refuse(404, 'GET', `${path}/spending/spnd_01kjqt9h4g00000000000000zz`, {
    headers,
    name: 'unknown',
    summary: 'No expense or goal of the bank account has the ID',
  })
  await refuse(405, 'PUT', `/links/${linkId}`, {
    headers,
    body: {},
    name: 'method',
    summary: 'A link has no PUT',
  })
  await refuse(415, 'POST', '/links', {
    headers: { ...headers, 'content-type': 'text/plain' },
    body: { institutionName: 'Prairie State Bank' },
    name: 'type',
    summary: 'A body that is not application/json',
  })
  await refusesWrites(world, ada, `${path}/spending/${tripId}`)
  await refuse(500, 'POST', '/aggregator/token/callback', {
    headers: ada.sessionHeaders,
    body: { publicToken: 'public-sandbox-unknown', accountIds: ['unknown'] },
    name: 'provider',
    summary: 'Plaid refuses a public token',
  })
}

/** Repeats a change with an old tag, and a creation with the Idempotency-Key of another one. */
async function refusesWrites({ recorder }: World, ada: Ada, goalPath: string): Promise<void> {
  const { key, headers } = ada
  const goal = await key('GET', goalPath, { isShown: false })
  const stale = goal.headers.get('etag') ?? ''
  const body = { name: 'Trip to Bergen' }
  await key('PATCH', goalPath, { body, isShown: false })
  await recorder.refuse(412, 'PATCH', goalPath, {
    headers: { ...headers, 'if-match': stale },
    body,
    name: 'changed',
    summary: 'The goal has changed since it was read',
  })
  const keyed = { ...headers, 'idempotency-key': 'link-1' }
  const first = { institutionName: 'Prairie State Bank' }
  await key('POST', '/links', { headers: keyed, body: first, isShown: false })
  await recorder.refuse(422, 'POST', '/links', {
    headers: keyed,
    body: { institutionName: 'First Platypus Bank' },
    name: 'key',
    summary: 'The key of another request',
  })
}
