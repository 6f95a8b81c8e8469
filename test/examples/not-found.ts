import { proofFor } from '../harness/proof-of-work.ts'
import type { Household } from './household.ts'
import { type Ada, password } from './sign-in.ts'
import type { World } from './world.ts'

/** Returns a well-formed ID that no object has. */
const unknown = (prefix: string) => `${prefix}_01kjqt9h4g00000000000000zz`

/** Asks for objects that do not exist, one of each kind. */
export async function refusesUnknown(world: World, ada: Ada, home: Household): Promise<void> {
  const { refuse } = world.recorder
  const { headers, sessionHeaders } = ada
  const { path } = home
  const kinds: [name: string, noun: string, path: string][] = [
    ['link', 'link', `/links/${unknown('link')}`],
    ['link', 'link', `/bank_accounts?link_id=${unknown('link')}`],
    ['bankAccount', 'bank account', `/bank_accounts/${unknown('bac')}`],
    ['fundingSchedule', 'funding schedule', `${path}/funding_schedules/${unknown('fund')}`],
    ['spending', 'expense or goal', `${path}/spending/${unknown('spnd')}`],
    ['spending', 'expense or goal', `/transactions?spendingId=${unknown('spnd')}`],
    ['transaction', 'transaction', `${path}/transactions/${unknown('txn')}`],
    ['transaction', 'transaction', `${path}/transactions/${unknown('txn')}/rule_suggestion`],
    ['upload', 'upload', `${path}/transactions/upload/${unknown('txup')}`],
    ['uploadGroup', 'upload', `/uploads/${unknown('upgr')}`],
    ['import', 'import', `${path}/transactions/import/${unknown('txim')}`],
    ['ruleRun', 'run of rules', `/rules/runs/${unknown('rrun')}`],
    ['webhook', 'webhook', `/webhooks/${unknown('hook')}`],
    ['webhook', 'webhook', `/webhooks/${unknown('hook')}/deliveries`],
    ['feedLink', 'feed connection', `/feed/link/${unknown('lfx')}`],
  ]
  for (const [name, noun, url] of kinds) {
    await refuse(404, 'GET', url, { headers, name, summary: `No ${noun} has the ID` })
  }
  const ofSession: [name: string, noun: string, path: string][] = [
    ['user', 'user', `/users/${unknown('user')}`],
    ['checkout', 'checkout', '/billing/checkout/cs_test_unknown'],
    ['institution', 'institution', '/institutions/ins_999999'],
  ]
  for (const [name, noun, url] of ofSession) {
    const summary = `No ${noun} has the ID`
    await refuse(404, 'GET', url, { headers: sessionHeaders, name, summary })
  }
  await refuse(404, 'DELETE', `/mappings/${unknown('txix')}`, {
    headers,
    name: 'mapping',
    summary: 'No mapping has the ID',
  })
  await refuse(404, 'DELETE', `/rules/${unknown('rule')}`, {
    headers,
    name: 'rule',
    summary: 'No rule has the ID',
  })
  await refuse(404, 'DELETE', `/rules/runs/${unknown('rrun')}`, {
    headers,
    name: 'ruleRun',
    summary: 'No run of rules has the ID, or it is older than 30 days',
  })
  for (const answer of ['accept', 'dismiss']) {
    await refuse(404, 'POST', `/rules/suggestions/${unknown('rsug')}/${answer}`, {
      headers,
      body: {},
      name: 'ruleSuggestion',
      summary: 'Nothing suggests this rule, or no longer',
    })
  }
  await refuse(404, 'DELETE', `/operations/${unknown('op')}`, {
    headers,
    name: 'operation',
    summary: 'No change of many transactions has the ID, or it is older than 7 days',
  })
  await refusesUnknownInBodies(world, ada)
}

async function refusesUnknownInBodies(world: World, ada: Ada): Promise<void> {
  const { refuse } = world.recorder
  const { headers, sessionHeaders } = ada
  const linkId = unknown('link')
  const link = { name: 'link', summary: 'No link has the ID' }
  await refuse(404, 'POST', '/bank_accounts', {
    headers,
    body: { linkId, name: 'Checking', currency: 'USD' },
    ...link,
  })
  await refuse(404, 'POST', '/links', {
    headers,
    body: { institutionName: 'Prairie State Bank', feedLinkId: unknown('lfx') },
    name: 'feedLink',
    summary: 'No feed connection has the ID',
  })
  const rule = { headers, name: 'rule', summary: 'No rule has the ID' }
  await refuse(404, 'PUT', '/rules/order', { body: { ruleIds: [unknown('rule')] }, ...rule })
  await refuse(404, 'POST', '/rules/runs', { body: { ruleIds: [unknown('rule')] }, ...rule })
  const changed = { conditions: { direction: 'out' }, actions: { name: 'Lunch' } }
  const ofRule = { ruleId: unknown('rule'), ...changed }
  await refuse(404, 'POST', '/rules/preview', { body: ofRule, ...rule })
  await refuse(404, 'POST', '/feed/link/sync', { headers, body: { linkId }, ...link })
  const sync = { headers: sessionHeaders, body: { linkId }, ...link }
  await refuse(404, 'POST', '/aggregator/link/sync', sync)
  await refuse(404, 'POST', '/aggregator/link/update/callback', {
    headers: sessionHeaders,
    body: { linkId, publicToken: 'public-sandbox-1', accountIds: ['one'] },
    ...link,
  })
  const { baseUrl } = world.coffer
  await refuse(404, 'DELETE', `/keys/${unknown('key')}`, {
    headers: sessionHeaders,
    bodyOf: () => proofFor(baseUrl, 'delete_api_key'),
    name: 'apiKey',
    summary: 'No API key of the account has the ID',
  })
  await refuse(404, 'DELETE', `/users/security/sessions/${unknown('sess')}`, {
    headers: sessionHeaders,
    body: { currentPassword: password },
    name: 'session',
    summary: 'No session of the caller has the ID',
  })
}
