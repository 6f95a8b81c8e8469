import type { Json } from '../harness/person.ts'
import type { LunchFlow } from '../providers/lunch-flow.ts'
import { type Take, until } from './recorder.ts'
import type { Ada } from './sign-in.ts'
import type { World } from './world.ts'

/** Links a bank account over the feed, and syncs it. Returns it, with its connection. */
export async function linksFeed(world: World, { key, headers }: Ada): Promise<Json> {
  const { feed, now, pass, recorder } = world
  fill(feed)
  const { body: connection } = await key('POST', '/feed/link', {
    body: { name: 'Home', feedURL: feed.url, apiKey: feed.apiKey },
  })
  const path = `/feed/link/${connection.feedLinkId}`
  const { body: link } = await key('POST', '/links', {
    body: { institutionName: 'Prairie State Bank', feedLinkId: connection.feedLinkId },
    name: 'feed',
    summary: 'A link over a connection to the feed',
  })
  const { linkId } = link
  await key('POST', `${path}/bank_accounts/refresh`)
  const { body: candidates } = await key('GET', `${path}/bank_accounts`)
  await key('GET', path)
  const { feedBankAccountId } = candidates.at(-1)
  const { body: made } = await key('POST', '/bank_accounts', {
    body: { linkId, name: 'Joint checking', feedBankAccountId },
    name: 'feed',
    summary: 'A bank account from a candidate of the feed',
  })
  await pass(60)
  await key('POST', '/feed/link/sync', { body: { linkId } })
  await recorder.refuse(425, 'POST', '/feed/link/sync', {
    headers,
    body: { linkId },
    name: 'sync',
    summary: 'A second sync within 30 minutes',
  })
  const account = `/bank_accounts/${made.bankAccountId}`
  await until(key, `/links/${linkId}/health`, isSynced(now()))
  await recorder.refuse(
    426,
    'GET',
    `/feed/link/sync/${linkId}/bank_account/${made.bankAccountId}/progress`,
    {
      headers: { ...headers, 'sec-websocket-version': '8' },
      name: 'version',
      summary: 'A handshake of an older version',
      isHandshake: true,
    },
  )
  await key('GET', '/feed/link')
  await key('GET', `/links/${linkId}/health`, {
    name: 'feed',
    summary: 'A link over the feed, after its first sync',
  })
  await details(key, account, 'feed')
  await tips(world, key, { linkId, account })
  feed.misbehave('/accounts', { status: 401, body: '{"error":"Invalid API key"}' })
  await pass(1800)
  await key('POST', '/feed/link/sync', { body: { linkId }, isShown: false })
  await until(key, `/links/${linkId}/health`, isFailed)
  feed.misbehave('/accounts', null)
  await key('GET', path, { name: 'failed', summary: 'A connection whose last sync failed' })
  await key('GET', `/links/${linkId}/health`, {
    name: 'failed',
    summary: 'A link over the feed, after a sync that failed',
  })
  return { ...made, feedLinkId: connection.feedLinkId }
}

/** Archives a bank account of the feed, and deletes its link. */
export async function removes({ key }: Ada, made: Json): Promise<void> {
  const { bankAccountId, linkId, feedLinkId } = made
  await key('DELETE', `/bank_accounts/${bankAccountId}`)
  await key('GET', `/bank_accounts/${bankAccountId}`, {
    name: 'archived',
    summary: 'An archived bank account',
  })
  await key('POST', `/bank_accounts/${bankAccountId}/restore`, { body: {} })
  await key('DELETE', `/links/${linkId}`)
  const path = `/feed/link/${feedLinkId}`
  await until(key, path, ({ deletedAt }) => deletedAt !== undefined)
  await key('GET', path, { name: 'deleted', summary: 'The connection of a deleted link' })
}

/** Whether a link had a sync that ended at this time. */
const isSynced =
  (now: Date) =>
  ({ lastSuccess, isSyncing }: Json): boolean =>
    lastSuccess !== null && Date.parse(lastSuccess) === now.getTime() && !isSyncing

const isFailed = ({ lastError, isSyncing }: Json): boolean => lastError !== null && !isSyncing

/** Records a bank account of a link, and a transaction with the record of its provider. */
async function details(key: Take, account: string, name: 'feed' | 'aggregator'): Promise<void> {
  const { body: listed } = await key('GET', `${account}/transactions`, {
    name,
    summary: `A bank account over the ${name}`,
  })
  const posted = listed.find(({ isPending }: Json) => !isPending)
  const summary = `A transaction over the ${name}, with the record of the provider`
  await key('GET', `${account}/transactions/${posted.transactionId}`, { name, summary })
  await key('GET', account, { name, summary: `A bank account over the ${name}` })
}

/** Posts two rows that may be the pending one: the user rejects one, and accepts the other. */
async function tips(
  { feed, now, pass }: World,
  key: Take,
  { linkId, account }: { linkId: string; account: string },
): Promise<void> {
  const bank = feed.bank(4417)
  bank.post({ date: '2026-03-01', amount: '-7.90', merchant: 'Corner Bakery' })
  bank.post({ date: '2026-03-01', amount: '-8.40', merchant: 'Corner Bakery' })
  await pass(1800)
  await key('POST', '/feed/link/sync', { body: { linkId }, isShown: false })
  await until(key, `/links/${linkId}/health`, isSynced(now()))
  const { body: listed } = await key('GET', `${account}/transactions`, { isShown: false })
  const of = (amount: number) => listed.find((one: Json) => one.amount === amount).transactionId
  const body = { kind: 'pending', transactionId: of(480) }
  const pathOf = (amount: number) => `${account}/transactions/${of(amount)}`
  await key('GET', pathOf(790), {
    name: 'suggestion',
    summary: 'A posted transaction that may be a pending one',
  })
  await key('POST', `${pathOf(840)}/suggestions/reject`, { body })
  await key('POST', `${pathOf(790)}/suggestions/accept`, { body })
  await key('GET', pathOf(480), {
    name: 'joined',
    summary: 'A transaction that was pending, with the posted row that its user accepted',
  })
  await key('POST', `${pathOf(480)}/separate`, { body: {} })
}

function fill(feed: LunchFlow): void {
  const bank = feed.bank(4417)
  bank.post({ date: '2026-02-27', amount: '-23.65', merchant: 'Green Grocer' })
  bank.pend({ date: '2026-03-01', amount: '-4.80', merchant: 'Corner Bakery' })
  bank.setBalance('2861.14')
  feed.bank(8820).setBalance('4120.00')
}

/** Links a bank over the aggregator, renews the link, and syncs it. */
export async function linksAggregator(world: World, { session, key }: Ada): Promise<void> {
  const { plaid, now, pass } = world
  await session('GET', '/institutions/ins_109508')
  const { body: opened } = await session('GET', '/aggregator/token/new')
  const { publicToken, item } = plaid.completeLink(opened.linkToken)
  const accountIds = item.accounts().map((one) => one.account_id)
  item.bank(accountIds[0] ?? '').post({
    date: '2026-02-27',
    amount: '12.50',
    name: 'POS DEBIT 4417 RIVERSIDE CINEMA',
    merchant: 'Riverside Cinema',
    category: 'ENTERTAINMENT_TV_AND_MOVIES',
  })
  const institution = { institutionId: 'ins_109508', institutionName: 'First Platypus Bank' }
  const { body: linked } = await session('POST', '/aggregator/token/callback', {
    body: { publicToken, accountIds, ...institution },
  })
  const { linkId } = linked
  await session('GET', `/aggregator/link/setup/wait/${linkId}`)
  await until(key, `/links/${linkId}/health`, isSynced(now()))
  await pass(60)
  const { body: renewal } = await session('PUT', `/aggregator/link/update/${linkId}`)
  const renewed = plaid.completeLink(renewal.linkToken)
  await session('POST', '/aggregator/link/update/callback', {
    body: { linkId, publicToken: renewed.publicToken, accountIds },
  })
  await until(key, `/links/${linkId}/health`, isSynced(now()))
  await pass(60)
  item.consentExpiresAt = new Date('2026-09-01T00:00:00Z')
  await session('POST', '/aggregator/link/sync', { body: { linkId } })
  const health = `/links/${linkId}/health`
  await until(key, health, isSynced(now()))
  const shown = { name: 'aggregator', summary: 'A link over the aggregator' }
  await key('GET', health, shown)
  await key('GET', `/links/${linkId}`, shown)
  const { body: accounts } = await key('GET', `/bank_accounts?link_id=${linkId}`, {
    isShown: false,
  })
  await details(key, `/bank_accounts/${accounts[0].bankAccountId}`, 'aggregator')
  item.error = { code: 'ITEM_LOGIN_REQUIRED', isRefused: true }
  await pass(1800)
  await session('POST', '/aggregator/link/sync', { body: { linkId }, isShown: false })
  await until(key, health, isFailed)
  const broken = { name: 'broken', summary: 'A link over the aggregator that has to be renewed' }
  await key('GET', health, broken)
  await key('GET', `/links/${linkId}`, broken)
}
