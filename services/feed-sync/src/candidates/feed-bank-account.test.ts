import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  activateFeedBankAccount,
  type CandidateSync,
  createFeedBankAccount,
  deactivateFeedBankAccount,
  endCandidateSync,
} from './feed-bank-account.ts'

const now = new Date('2026-03-01T10:00:00Z')
const found = createFeedBankAccount(
  {
    feedId: '7',
    feedStatus: 'ACTIVE',
    name: 'Checking',
    institutionName: 'Bank',
    provider: 'mx',
    currency: 'USD',
    currentBalance: 5n,
  },
  { accountId: 'acct_1', feedBankAccountId: 'lbac_1', feedLinkId: 'lfx_1', createdBy: 'u', now },
)

const use = (bankAccountId: string, version = 0n) => ({ bankAccountId, version })

test('a new candidate is inactive', () => {
  expect(found).toMatchObject({ status: 'inactive', bankAccountId: null, createdAt: now })
})

test('a candidate is active while its bank account is live', () => {
  const used = activateFeedBankAccount(found, use('bac_1'), now)
  expect(used).toMatchObject({ status: 'active', bankAccountId: 'bac_1' })
  const free = deactivateFeedBankAccount(used, use('bac_1'), now)
  expect(free).toMatchObject({ status: 'inactive', bankAccountId: 'bac_1' })
  expect(activateFeedBankAccount(free, use('bac_2'), now).status).toBe('active')
})

test('a candidate with an error becomes inactive when its bank account is archived', () => {
  const failing = { ...activateFeedBankAccount(found, use('bac_1'), now), status: 'error' as const }
  expect(activateFeedBankAccount(failing, use('bac_1'), now)).toBe(failing)
  expect(deactivateFeedBankAccount(failing, use('bac_1'), now).status).toBe('inactive')
})

const uses = ['bac_1', 'bac_2', 'bac_3']
const all = uses.flatMap((id) => [
  { decide: activateFeedBankAccount, id },
  { decide: deactivateFeedBankAccount, id },
])

test('repeated or reordered events lead to the same state', () => {
  const heard = fc.tuple(
    fc.integer({ min: 1, max: all.length }),
    fc.array(fc.nat({ max: all.length - 1 }), { maxLength: 12 }),
  )
  fc.assert(
    fc.property(heard, fc.infiniteStream(fc.nat()), ([count, repeats], shuffle) => {
      const said = all.slice(0, count)
      const repeated = repeats.flatMap((index) => said[index] ?? [])
      const inOrder = said.reduce((one, { decide, id }) => decide(one, use(id), now), found)
      const shuffled = [...said, ...repeated]
        .map((one) => ({ one, at: shuffle.next().value }))
        .sort((a, b) => a.at - b.at)
      const end = shuffled.reduce((state, { one }) => one.decide(state, use(one.id), now), found)
      expect(end).toEqual(inOrder)
    }),
  )
})

test('a candidate that a bank account leaves and uses again is active, in any order', () => {
  const said = [activateFeedBankAccount, deactivateFeedBankAccount, activateFeedBankAccount]
  const events = said.map((decide, index) => ({ decide, version: BigInt(index + 1) }))
  for (const order of [events, events.toReversed(), [...events, ...events]]) {
    const end = order.reduce(
      (one, { decide, version }) => {
        return decide(one, use('bac_1', version), now)
      },
      activateFeedBankAccount(found, use('bac_2'), now),
    )
    expect(end).toMatchObject({ status: 'active', bankAccountId: 'bac_1', useVersion: 3n })
  }
})

const used: CandidateSync = {
  ...activateFeedBankAccount(found, use('bac_1'), now),
  syncCount: 7n,
  lastSyncedAt: null,
  lastWholeAt: null,
  endedRunId: null,
  failuresInRow: 0,
  faultCode: null,
  faultDetail: null,
  faultAt: null,
}
const failing = {
  ...used,
  status: 'error' as const,
  failuresInRow: 5,
  faultCode: 'currency' as const,
  faultDetail: 'EUR',
  faultAt: now,
}
const end = { runId: 'run_1', isManual: false, isComplete: true, isWhole: true, now }

test.each([
  ['whole', true, now],
  ['recent', false, null],
])('a complete sync of %s data ends an error', (_kind, isWhole, lastWholeAt) => {
  expect(endCandidateSync(failing, { ...end, isWhole })).toEqual({
    ...used,
    syncCount: 8n,
    lastSyncedAt: now,
    lastWholeAt,
    endedRunId: 'run_1',
  })
})

test('the fifth failed sync in a row sets the status error, each is counted once', () => {
  let candidate = used
  const statuses = [1, 2, 3, 4, 5, 6].map((run) => {
    candidate = endCandidateSync(candidate, { ...end, runId: `run_${run}`, isComplete: false })
    return candidate.status
  })
  expect(statuses).toEqual(['active', 'active', 'active', 'active', 'error', 'error'])
  expect(candidate).toMatchObject({ failuresInRow: 6, syncCount: 13n, lastSyncedAt: null })
  expect(endCandidateSync(candidate, { ...end, runId: 'run_6' })).toBe(candidate)
})

test('a failed request counts as the first failure only', () => {
  const failed = { ...end, isManual: true, isComplete: false }
  const once = endCandidateSync(used, failed)
  const twice = endCandidateSync(once, { ...failed, runId: 'run_2' })
  expect([once, twice]).toMatchObject([{ failuresInRow: 1 }, { failuresInRow: 1, syncCount: 9n }])
  expect(endCandidateSync(failing, failed)).toMatchObject({ status: 'error', failuresInRow: 5 })
})

test('a bank account that is archived during a sync remains inactive', () => {
  const archived = { ...used, status: 'inactive' as const }
  expect(endCandidateSync(archived, end).status).toBe('inactive')
})
