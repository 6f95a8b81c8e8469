import { dayMs, hourMs } from '@coffer/kit/values/time'
import { expect } from '@jest/globals'
import type { Json } from '../../harness/person.ts'
import { choose } from '../sync-model/chance.ts'
import type { Step } from '../sync-model/script.ts'
import { look, written } from '../sync-model/shown.ts'
import { act, createUser, workOn } from '../sync-model/user-actions.ts'
import { type AggregatorWorld, linkByRest } from './aggregator-world.ts'
import { accountKinds, type Bank, inUnits, pageMax } from './bank.ts'
import { type BankEvent, bankEvents, happen } from './bank-events.ts'
import { type Account, hasTip } from './purchase.ts'
import type { Round } from './script.ts'
import { announce, type Syncing, syncKinds } from './sync-kinds.ts'
import { checkPart, checkWhole } from './truth.ts'

type Event = Step<BankEvent>

/** A run of a script. `waiting` are events that fitted nothing yet. */
interface Run {
  bank: Bank
  syncing: Syncing
  waiting: Event[]
  /** Kinds of everything that happened, in order. */
  log: string[]
}

/** Runs a script on a new item; returns the kinds of all steps that happened. */
export async function runScript(
  world: AggregatorWorld,
  rounds: readonly Round[],
): Promise<string[]> {
  const run = await begin(world)
  try {
    for (const round of rounds) await runRound(run, round)
    await end(run)
  } catch (error) {
    throw new Error(`${error}\nafter ${run.log.join(' ')}`, { cause: error })
  }
  return run.log
}

const balance = 1_000

async function begin(world: AggregatorWorld): Promise<Run> {
  const given = accountKinds.map(({ currency, decimals, ...more }) => {
    const units = inUnits({ decimals }, balance)
    return { ...more, balances: { current: units, available: units, currency } }
  })
  const home = await linkByRest(world, given)
  const { item, person } = home
  item.pageMax = pageMax
  const accounts: Account[] = []
  for (const [index, { account_id: id }] of item.accounts().entries()) {
    const path = home.paths[index] ?? ''
    const { decimals = 2 } = accountKinds[index] ?? {}
    const user = await createUser({ person, path })
    const state = { isHidden: false, isRefused: false, balance, balances: [balance] }
    accounts.push({ id, decimals, user, ...state })
  }
  const firstMs = world.now().getTime() - 60 * dayMs
  const dayAt = (day: number) => new Date(firstMs + day * dayMs).toISOString().slice(0, 10)
  const bank = { item, accounts, purchases: [], isRead: true, dayAt, serial: 0 }
  return { bank, syncing: { world, home }, waiting: [], log: [] }
}

async function runRound(run: Run, { events, actions, sync }: Round): Promise<void> {
  const { bank, syncing, log } = run
  const way = syncKinds[sync.kind]
  // The last events happen during the sync, if its way has a moment for them.
  const meanwhile = way.hasMoment ? events.slice(-3) : []
  change(run, events.slice(0, events.length - meanwhile.length))
  for (const { kind, chance } of actions) {
    log.push(kind)
    const account = choose(bank.accounts, chance.days)
    if (account) await act(account.user, kind, chance)
  }
  log.push(sync.kind)
  // Requests of users are 30 minutes apart.
  syncing.world.pass(hourMs)
  bank.isRead = false
  for (const one of bank.purchases) one.isNew = false
  await way.run(syncing, sync.chance, () => change(run, meanwhile))
  for (const one of bank.purchases) one.isNew = false
  await check(run, way.isWhole ? checkWhole : checkPart)
  bank.isRead = way.isWhole
  if (!way.isWhole) return
  const { status, failuresInRow, faultCode } = await syncing.home.state()
  expect([status, failuresInRow, faultCode]).toEqual(['setup', 0, null])
  await checkStatus(run)
}

/** Compares all bank accounts; the item has never had two calls at once. */
async function check({ bank, syncing }: Run, compare: typeof checkPart): Promise<void> {
  expect(bank.item.overlaps).toEqual([])
  for (const account of bank.accounts) {
    compare(bank, account, await look(syncing.world.coffer, account.user))
  }
}

/** Bank accounts that the aggregator does not list are inactive. */
async function checkStatus({ bank, syncing: { home } }: Run): Promise<void> {
  const shown: Json[] = await home.person.get('/bank_accounts')
  for (const { user, isHidden } of bank.accounts) {
    const found = shown.find((one) => user.home.path.endsWith(one.bankAccountId))
    expect(found?.status).toBe(isHidden ? 'inactive' : 'active')
  }
}

/** Lets events happen, those that waited first. */
function change(run: Run, events: readonly Event[]): void {
  const { bank, log } = run
  run.waiting = run.waiting.concat(events).filter(({ kind, chance }) => {
    const hasHappened = happen(bank, kind, chance)
    if (hasHappened) log.push(kind)
    return !hasHappened
  })
}

async function syncWhole(run: Run): Promise<void> {
  run.log.push('announced')
  run.syncing.world.pass(hourMs)
  await announce(run.syncing)
  await check(run, checkWhole)
}

/** A pending purchase, on which the user has worked, is posted with a tip. */
async function tip(run: Run): Promise<void> {
  const { bank } = run
  const chance = { pick: 0, days: 5, variant: 0 }
  happen(bank, 'pend', chance)
  await syncWhole(run)
  const one = bank.purchases.at(-1)
  if (!one) throw new Error('the bank has no purchase')
  await workOn(one.account.user, one.transactionId, chance)
  bankEvents.settleWithTip.happen(bank, chance, one)
  expect(hasTip(one)).toBe(true)
  await syncWhole(run)
}

/** Syncs until all is known; another sync then writes nothing. */
async function end(run: Run): Promise<void> {
  const { bank, log, syncing } = run
  for (let count = 0; count < 2; count += 1) await syncWhole(run)
  await tip(run)
  const { coffer } = syncing.world
  const all = () => Promise.all(bank.accounts.map(({ user }) => written(coffer, user.home)))
  const before = await all()
  log.push('quiet')
  syncing.world.pass(hourMs)
  await announce(syncing)
  const state = await syncing.home.state()
  const { addedCount, changedCount, matchedCount, removedCount, skippedCount } = state
  const counts = [addedCount, changedCount, matchedCount, removedCount, skippedCount]
  expect(counts.map(Number)).toEqual([0, 0, 0, 0, 0])
  expect(await all()).toEqual(before)
}
