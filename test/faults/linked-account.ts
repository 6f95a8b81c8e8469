import { eventually } from '@coffer/host/testing/boot'
import { expect } from '@jest/globals'
import type pg from 'pg'
import type { Answer, Json, Person } from '../harness/person.ts'
import { daysAgo } from '../mesh/feed-world.ts'
import type { FeedBank } from '../providers/feed-bank.ts'
import { faults } from '../providers/feed-faults.ts'
import { type LinkedFeed, linkFeed } from '../providers/linked-feed.ts'
import { feedAccount, type LunchFlow } from '../providers/lunch-flow.ts'
import { editAccount, endMs } from './edited-account.ts'
import type { Hold, Work } from './held-points.ts'

/** A link with one bank account, whose user has edited what its first sync has imported. */
export interface LinkedAccount extends LinkedFeed, Work {
  person: Person
  /** ID of the bank account at the provider. */
  feedId: string
  /** Requests a sync by REST; returns the status of the answer. */
  ask: () => Promise<number>
  /** Resolves with the link's health after a sync has ended: well since then, or with an error. */
  untilSynced: (since: Date) => Promise<Json>
  /** Checks that the bank account has the provider's transactions and its user's edits. */
  expectSynced: () => Promise<void>
}

type Place = { provider: LunchFlow; reader: pg.Client }

/**
 * Links a bank account and syncs it. Then its user pays three transactions from a goal and edits
 * one; the bank posts the pending one, corrects one, removes one, and adds `added` others.
 */
export async function prepareAccount(
  { provider, reader }: Place,
  { person, feedId, added }: { person: Person; feedId: string; added: number },
): Promise<LinkedAccount> {
  provider.accounts.push(feedAccount(feedId, { balance: '100.00' }))
  const bank = provider.bank(feedId)
  const day = daysAgo(5)
  const paid = bank.post({ date: day, amount: '-10.00', merchant: 'Rent' })
  const removed = bank.post({ date: day, amount: '-7.00', merchant: 'Mistake' })
  const pending = bank.pend({ id: null, date: day, amount: '-4.50', merchant: 'Cafe Roma' })
  const link = await linkFeed(person, provider, feedId)
  const { linkId, bankAccountId } = link
  const path = `/bank_accounts/${bankAccountId}`
  const body = { linkId }
  const ask = async () => (await person.call('POST', '/feed/link/sync', { body })).status
  const untilSynced = async (since: Date) => {
    const isSynced = ({ status, body: { isSyncing, lastSuccess, lastError } }: Answer) =>
      status === 200 && !isSyncing && (lastError !== null || new Date(lastSuccess) > since)
    const health = () => person.call('GET', `/links/${linkId}/health`)
    return (await eventually(health, isSynced, endMs)).body
  }
  const began = new Date()
  await person.post('/feed/link/sync', body)
  await untilSynced(began)
  // A user may request a sync once in 30 minutes.
  await reader.query('UPDATE feed_sync.feed_links SET last_manual_sync = NULL WHERE link_id = $1', [
    linkId,
  ])
  const expectEdits = await editAccount(person, path)
  bank.settle(pending, { id: 'posted', date: daysAgo(3) })
  bank.change(paid, { amount: '-11.00', description: 'CARD RENT CORRECTED' })
  bank.remove(removed)
  for (let index = 1; index <= added; index += 1) {
    bank.post({ date: daysAgo(index % 80), amount: `-${index}.25`, merchant: `Shop ${index}` })
  }
  bank.setBalance('77.25')
  return {
    ...link,
    person,
    feedId,
    ask,
    begin: () => person.post('/feed/link/sync', body),
    holdAnswer: (of) => holdAnswer(provider, of),
    untilSynced,
    expectSynced: async () => {
      const { rows } = await reader.query(
        `SELECT original_name, amount::int, is_pending FROM ledger.transactions
         WHERE account_id = $1 AND bank_account_id = $2 AND deleted_at IS NULL`,
        [person.accountId, bankAccountId],
      )
      expectRows(rows, bank)
      await expectEdits()
    },
  }
}

function expectRows(rows: Json[], bank: FeedBank): void {
  const stored = rows.map((row) => [row.original_name, row.amount, row.is_pending])
  const offered = bank.listed().map(({ description, amount, isPending }) => {
    return [description, Math.round(-100 * Number(amount)), isPending]
  })
  expect(stored.toSorted()).toEqual(offered.toSorted())
}

/** Holds the provider's answer to a path. */
function holdAnswer(provider: LunchFlow, path: RegExp): Hold {
  const from = provider.requests.length
  const { promise, resolve } = Promise.withResolvers<void>()
  provider.fault(path, faults.hold(promise), 1)
  const isAsked = async () => provider.requests.slice(from).some((one) => path.test(one))
  return { reached: () => eventually(isAsked, Boolean), end: async () => resolve() }
}
