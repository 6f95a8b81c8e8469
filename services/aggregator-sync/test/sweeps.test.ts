import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { boot, eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { markDeleted } from '@coffer/kit/accounts/account-removal.sql'
import { changeOf, emit } from '@coffer/kit/events/changes'
import { newId } from '@coffer/kit/values/id'
import { dayMs, hourMs } from '@coffer/kit/values/time'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { findLink } from '../src/connections/aggregator-link.sql.ts'
import { aggregatorSync } from '../src/service.ts'
import { itemSyncs } from '../src/syncs/item-sync.sql.ts'
import type { ItemSync } from '../src/syncs/item-sync.ts'
import { readSync, requestByOperator } from '../src/syncs/operator.service.ts'
import { insertItemSync } from './aggregator-links.ts'

const now = new Date('2026-03-01T10:00:00Z')
const before = (ms: number) => new Date(now.getTime() - ms)

const booted = started(() =>
  boot([aggregatorSync], {
    COFFER_AGGREGATOR_ENABLED: 'true',
    COFFER_AGGREGATOR_CLIENT_ID: 'client',
    COFFER_AGGREGATOR_CLIENT_SECRET: 'secret',
    COFFER_AGGREGATOR_URL: 'http://127.0.0.1:9',
  }),
)

beforeEach(() => {
  booted.clock.now = now
})

afterEach(async () => {
  booted.clock.now = null
  const { pool } = booted.database('aggregator-sync')
  await pool.query(sql.unsafe`TRUNCATE aggregator_links CASCADE`)
  await pool.query(sql.unsafe`TRUNCATE account_settings, deleted_accounts`)
})

const page = { now, after: [], limit: 10 }
const database = () => booted.database('aggregator-sync')
const insert = (changes: Partial<ItemSync>) => insertItemSync(database(), changes)

async function dueLinks(): Promise<string[]> {
  const due = await itemSyncs.listDue(database(), page)
  return due.map(({ linkId }) => linkId)
}

async function unfinishedLinks(): Promise<string[]> {
  const of = { ...page, before: before(30_000) }
  const unfinished = await itemSyncs.listUnfinished(database(), of)
  return unfinished.map(({ linkId }) => linkId).toSorted()
}

function run(activity: string, ...args: unknown[]): Promise<unknown> {
  const found = booted.host.services['aggregator-sync']?.activities?.[activity]
  if (!found) throw new Error(`${activity} is missing`)
  return found(...args)
}

/** Publishes identity's event of changed settings; waits until it is stored. */
async function subscribe(accountId: string, until: Date | null, version: bigint): Promise<void> {
  const paid = until ? { subscriptionActiveUntil: timestampFromDate(until) } : {}
  const settings = { accountId, timezone: 'UTC', locale: 'en_US', version, ...paid }
  const subject = { accountId, entityId: accountId, version }
  const change = changeOf(AccountSettingsChangedSchema, subject, settings)
  await database().transaction((tx) => emit(tx, change))
  const isStored = () =>
    database().pool.exists(sql.unsafe`
      SELECT FROM account_settings WHERE account_id = ${accountId} AND version = ${version}`)
  await eventually(isStored, Boolean)
}

test('due links are listed, the earliest first, page by page', async () => {
  const second = await insert({ nextSyncAt: before(1) })
  const first = await insert({ nextSyncAt: before(2), status: 'pending' })
  const broken = await insert({ nextSyncAt: now, status: 'error' })
  await insert({ nextSyncAt: new Date(now.getTime() + 1) })
  await insert({ nextSyncAt: null })
  await insert({ nextSyncAt: before(3), status: 'revoked' })
  await insert({ nextSyncAt: before(3), status: 'creating' })
  const due = [first, second, broken].map(({ linkId }) => linkId)
  expect(await dueLinks()).toEqual(due)
  const [one] = await itemSyncs.listDue(database(), { ...page, limit: 1 })
  const after = [one?.dueAt ?? '', one?.accountId ?? '', one?.linkId ?? '']
  const next = await itemSyncs.listDue(database(), { ...page, after })
  expect(next.map(({ linkId }) => linkId)).toEqual(due.slice(1))
})

test('requests and syncs without an end are listed after a while', async () => {
  const requested = await insert({ requestedAt: before(30_001), status: 'revoked' })
  const begun = await insert({ syncRunId: 'run_1', syncStartedAt: before(30_001) })
  await insert({ requestedAt: before(29_999) })
  await insert({ syncRunId: 'run_2', syncStartedAt: before(29_999) })
  await insert({ requestedAt: before(hourMs), status: 'deactivated', deletedAt: now })
  await insert({ requestedAt: before(hourMs), status: 'creating' })
  expect(await unfinishedLinks()).toEqual([requested.linkId, begun.linkId].toSorted())
})

test('a lapsed account is not synced until it is paid for', async () => {
  const { accountId, linkId } = await insert({ nextSyncAt: now, requestedAt: before(hourMs) })
  await subscribe(accountId, now, 1n)
  expect([await dueLinks(), await unfinishedLinks()]).toEqual([[], []])
  await subscribe(accountId, new Date(now.getTime() + 1), 2n)
  expect([await dueLinks(), await unfinishedLinks()]).toEqual([[linkId], [linkId]])
})

test('an account that is being deleted is not synced', async () => {
  const { accountId } = await insert({ nextSyncAt: now, requestedAt: before(hourMs) })
  await markDeleted(database(), accountId)
  expect([await dueLinks(), await unfinishedLinks()]).toEqual([[], []])
})

test('the schedule starts what it lists', async () => {
  const due = await insert({ nextSyncAt: now })
  const requested = await insert({ requestedAt: before(hourMs) })
  const id = newId('sweep')
  await booted.workflows.start({ type: 'startDueAggregatorSyncs', id, args: [] })
  await booted.workflows.client.workflow.getHandle(`${booted.prefix}/workflows/${id}`).result()
  for (const { linkId } of [due, requested]) {
    const started = `${booted.prefix}/workflows/aggregator-sync/${linkId}`
    const { type } = await booted.workflows.client.workflow.getHandle(started).describe()
    expect(type).toBe('syncAggregatorLink')
  }
})

test('a request of an operator starts a sync, of a live link only', async () => {
  const { linkId, ...link } = await insert({ lastManualSync: before(1) })
  const ended = await insert({ status: 'deactivated', deletedAt: now })
  expect(await requestByOperator(database(), linkId, now)).toEqual({
    accountId: link.accountId,
    linkId,
  })
  const isBegun = ({ lastAttemptedUpdate }: ItemSync) => lastAttemptedUpdate !== null
  await eventually(() => readSync(database(), { ...link, linkId }), isBegun)
  expect(await requestByOperator(database(), newId('link'), now)).toBeNull()
  await expect(requestByOperator(database(), ended.linkId, now)).rejects.toThrow('deactivated')
  await expect(readSync(database(), { ...ended, linkId: 'other' })).rejects.toThrow('was deleted')
})

test('a repeated request of a whole loop joins the one that is due', async () => {
  const link = await insert({})
  const { linkId } = link
  await requestByOperator(database(), linkId, before(5))
  expect((await readSync(database(), link)).wholeRequestedAt).toBeNull()
  for (const at of [before(2), now]) {
    await requestByOperator(database(), linkId, at, { isWhole: true })
    expect((await readSync(database(), link)).wholeRequestedAt).toEqual(before(2))
  }
})

test('a link that was never created is deleted a day after its release', async () => {
  const ended = { status: 'deactivated', deletedAt: before(2 * dayMs) } as const
  const [old, recent] = [before(dayMs + 1), before(dayMs)]
  const chosenAccounts = ['account']
  const unused = await insert({ ...ended, chosenAccounts, itemId: null, releasedAt: old })
  const kept = [
    await insert({ ...ended, releasedAt: old }),
    await insert({ ...ended, chosenAccounts, releasedAt: recent }),
    await insert({ ...ended, chosenAccounts }),
    await insert({ chosenAccounts }),
  ]
  expect(await run('deleteOldRows')).toBe(true)
  const left = (link: ItemSync) => findLink(database(), link)
  expect(await left(unused)).toBeNull()
  for (const link of kept) expect(await left(link)).toMatchObject({ linkId: link.linkId })
  expect(await run('startUnfinishedLinks', [])).toBeNull()
})

test('a step of another sync is gone; a step without a token fails', async () => {
  const link = await insert({})
  const of = { ...link, runId: 'run/1' }
  await requestByOperator(database(), link.linkId, now)
  await eventually(
    () => readSync(database(), link),
    ({ syncRunId }) => syncRunId !== null,
  )
  const { syncRunId } = await readSync(database(), link)
  await run('endAggregatorSync', { ...of, outcome: { kind: 'failed' } })
  expect((await readSync(database(), link)).syncRunId).toBe(syncRunId)
  await expect(run('syncItem', { ...of, runId: syncRunId })).rejects.toThrow('no access token')
  expect(await run('syncItem', of)).toEqual({ kind: 'gone' })
})
