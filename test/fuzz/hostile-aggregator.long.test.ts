import { FaultCode } from '@coffer/aggregator-sync/provider/plaid-fault'
import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { auditLedger } from '@coffer/ledger/money/audit.sql'
import { beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { daysAgo } from '../mesh/feed-world.ts'
import { linkItem, type PlaidHome, startPlaidWorld } from '../mesh/plaid-world.ts'
import { plaidFaults } from '../providers/plaid/faults.ts'
import { faultOfText, isAmountOf, isExact } from './feed-oracle.ts'
import type { Hostile } from './hostile-json.ts'
import { accountIds, hostileAnswers } from './hostile-plaid-answers.ts'
import { type PlaidReadable, readablesIn } from './plaid-oracle.ts'
import { listStoredAccounts, listStoredRows } from './stored-feed.ts'

// The 20 rounds of `test:long` thus send more than 20,000 hostile answers.
const answersMin = 1_050
const roundsMax = 200
// A busy machine takes minutes for the long run.
const timeoutMs = 900_000
const linkCount = 6

type Kind = keyof typeof hostileAnswers

const paths: [RegExp, Kind][] = [
  [/^\/accounts\/get$/, 'accounts'],
  [/^\/transactions\/sync$/, 'changes'],
  [/^\/transactions\/get$/, 'days'],
]

/** A link whose item gets hostile answers. */
interface HostileHome extends PlaidHome {
  /** Transactions and balances in its answers, by day; a balance has none. */
  readable: Map<string, PlaidReadable[]>
}

let homes: HostileHome[]
let peaceful: PlaidHome
let answered = 0

const world = started(() => startPlaidWorld())

beforeAll(async () => {
  peaceful = await linkItem(world)
  homes = await Promise.all(Array.from({ length: linkCount }, link))
})

async function link(): Promise<HostileHome> {
  const [checking = '', savings = ''] = accountIds
  const home = await linkItem(world, [
    { id: checking, name: 'Everyday', mask: '0000' },
    { id: savings, name: 'Savings', mask: '1111', subtype: 'savings' },
  ])
  for (const id of accountIds) {
    const bank = home.item.bank(id)
    bank.post({ id: `${id}-1`, date: daysAgo(9), amount: '1.25', name: 'Market' })
    bank.post({ id: `${id}-2`, date: daysAgo(40), amount: '-20.30', name: 'Pay' })
    bank.pend({ id: `${id}-3`, date: daysAgo(1), amount: '7', name: 'Cafe' })
  }
  return { ...home, readable: new Map() }
}

/** Returns functions, one for each link, that return the next hostile answer of a kind. */
function hostileOf(kind: Kind): (() => Hostile)[] {
  const sample = fc.sample(hostileAnswers[kind], 3_000)
  return homes.map((_, index) => {
    let next = index * 450
    return () => {
      next += 1
      return sample[next % sample.length] as Hostile
    }
  })
}

/** Makes all answers about the item hostile, and reads them. */
function turnHostile({ item, readable }: HostileHome, next: (kind: Kind) => Hostile): void {
  for (const [path, kind] of paths) {
    let page = ''
    const fault = plaidFaults.any((sent) => {
      // Plaid does not know hostile cursors: it sends the last page again.
      page = kind !== 'changes' || sent.includes('"added"') ? sent : page
      const right = page || sent
      const answer = next(kind)(right)
      if (answer.body !== right) answered += 1
      const body = typeof answer.body === 'string' ? answer.body : answer.body.toString()
      if (body.length > 2 ** 20) return answer
      for (const one of readablesIn(body)) {
        readable.set(one.date, [...(readable.get(one.date) ?? []), one])
      }
      return answer
    })
    item.fault(path, fault)
  }
}

const codes: unknown[] = [null, ...FaultCode.values].filter((code) => code !== 'internal')

/** Syncs a link. Its workflow must end, and no activity may be refused. */
async function requireEnded({ linkId, ...home }: PlaidHome): Promise<void> {
  const { syncCount } = await home.state()
  await home.request()
  const sync = await home.until((now) => now.syncCount > syncCount && !now.syncRunId)
  expect(codes).toContain(sync.faultCode)
  expect(['pending', 'setup', 'error', 'pending_expiration', 'revoked']).toContain(sync.status)
  expect(sync.errorCode ?? 'NONE').toMatch(/^[A-Z][A-Z0-9_]{0,99}$/)
  const { workflows, prefix } = world.coffer.booted
  const id = `${prefix}/workflows/aggregator-sync/${linkId}`
  const workflow = workflows.client.workflow.getHandle(id)
  const isEnded = ({ status: { name } }: { status: { name: string } }) => name !== 'RUNNING'
  expect((await eventually(() => workflow.describe(), isEnded)).status.name).toBe('COMPLETED')
  const { events } = await workflow.fetchHistory()
  // On a busy machine, activities may be repeated after a timeout.
  const failures = (events ?? []).flatMap(({ activityTaskFailedEventAttributes: failed }) => {
    return failed?.failure?.applicationFailureInfo ? [failed.failure.message] : []
  })
  expect(failures).toEqual([])
}

/** Requires that all amounts stored of a person are in answers. Returns the number of texts. */
async function requireSane({ person: { accountId }, ...home }: HostileHome): Promise<number> {
  const database = world.coffer.booted.database('ledger')
  const isIn = (row: { bankAccountId: string; amount: bigint }, date: string) => {
    const own = accountIds[home.paths.indexOf(`/bank_accounts/${row.bankAccountId}`)]
    const others = accountIds.filter((id) => id !== own)
    return (home.readable.get(date) ?? []).some(
      (one) =>
        ['', 'USD'].includes(one.currency) &&
        !others.some((id) => id === one.accountId) &&
        isAmountOf(row.amount, one, date === ''),
    )
  }
  const texts: (string | null)[] = []
  for (const row of await listStoredRows(database, accountId)) {
    texts.push(...row.texts)
    const [date = '', time] = row.date.split(' ')
    const isFound = isExact(row.amount) && isIn(row, date)
    if (!isFound || time !== '00:00') expect([row, 'is in no answer']).toEqual([])
    expect(['', 'USD']).toContain(row.currency)
    expect(row.providerId ?? 'a').toMatch(/^[!-~]{1,200}$/)
  }
  for (const { bankAccountId, current, available, texts: own } of await listStoredAccounts(
    database,
    accountId,
  )) {
    texts.push(...own)
    for (const amount of [current, available]) {
      // A missing balance counts as 0.
      const isFound = amount === 0n || isIn({ bankAccountId, amount }, '')
      if (!isFound) expect([bankAccountId, amount, 'is in no answer']).toEqual([])
    }
  }
  expect(texts.filter((text) => faultOfText(text))).toEqual([])
  return texts.length
}

test(
  'hostile answers end every sync in its order, and store no nonsense',
  async () => {
    const nextOf = {
      accounts: hostileOf('accounts'),
      changes: hostileOf('changes'),
      days: hostileOf('days'),
    }
    for (const [index, home] of homes.entries()) turnHostile(home, (kind) => nextOf[kind][index]!())
    let [rounds, texts] = [0, 0]
    for (; answered < answersMin && rounds < roundsMax; rounds += 1) {
      peaceful.bank.post({ date: daysAgo(2), amount: '1' })
      const [health] = await Promise.all([peaceful.sync(), ...homes.map(requireEnded)])
      expect(health.lastError).toBeUndefined()
      expect(health.lastArrival).toMatchObject({ added: 1 })
      texts = (await Promise.all(homes.map(requireSane))).reduce((sum, count) => sum + count)
    }
    expect(texts).toBeGreaterThan(500)
    expect(answered).toBeGreaterThanOrEqual(answersMin)
    process.stdout.write(`${answered} hostile answers in ${linkCount * rounds} syncs\n`)
    expect(await peaceful.list()).toHaveLength(Math.min(rounds, 25))
    expect(await auditLedger(world.coffer.booted.database('ledger'))).toEqual([])
  },
  timeoutMs,
)

/** Requires that bank accounts have Plaid's transactions. */
async function requireRight({ item, paths: own, person }: PlaidHome): Promise<void> {
  for (const [index, path] of own.entries()) {
    const listed = await person.get(`${path}/transactions?limit=100`)
    for (const row of item.bank(accountIds[index] ?? '').listed()) {
      const amount = Math.round(100 * Number(JSON.stringify(row.amount)))
      // A pending transaction keeps the name of its first answer, which may be a hostile one.
      const named = row.pending ? {} : { originalName: row.name }
      const right = { amount, isPending: row.pending, ...named }
      expect(listed).toContainEqual(expect.objectContaining(right))
    }
  }
}

test('after hostile answers, right ones restore the bank accounts', async () => {
  const recover = async (home: HostileHome) => {
    for (const [path] of paths) home.item.fault(path, null)
    // Plaid repeats no change: all transactions are read again.
    home.item.refuseCursors()
    expect((await home.sync()).lastError).toBeUndefined()
    await requireRight(home)
  }
  await Promise.all(homes.map(recover))
  expect(await auditLedger(world.coffer.booted.database('ledger'))).toEqual([])
})
