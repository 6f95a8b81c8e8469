import { expect } from '@jest/globals'
import { linkOne } from '../feed-world.ts'
import type { Step } from '../sync-model/script.ts'
import { look, written } from '../sync-model/shown.ts'
import { act, createUser, type User, workOn } from '../sync-model/user-actions.ts'
import type { Bank } from './bank.ts'
import { type BankEvent, bankEvents, buyFirst, happen } from './bank-events.ts'
import { hasTip, showPart } from './purchase.ts'
import type { Round } from './script.ts'
import { type Syncing, syncKinds } from './sync-kinds.ts'
import { checkPart, checkWhole } from './truth.ts'

type Event = Step<BankEvent>

/** A run of a script. `waiting` are events that fitted no purchase yet. */
interface Run {
  bank: Bank
  user: User
  syncing: Syncing
  waiting: Event[]
  /** Kinds of everything that happened, in order. */
  log: string[]
}

/** Runs a script on a new bank account; returns the kinds of all steps that happened. */
export async function runScript(
  { world, mortals }: Pick<Syncing, 'world' | 'mortals'>,
  rounds: readonly Round[],
): Promise<string[]> {
  const home = await linkOne(world)
  const firstMs = Date.now() - 60 * 86_400_000
  const bank: Bank = {
    feed: home.bank,
    purchases: [],
    dayAt: (day) => new Date(firstMs + day * 86_400_000).toISOString().slice(0, 10),
    serial: 0,
    balance: 1_234,
    balances: [0, 1_234],
  }
  buyFirst(bank)
  const user = await createUser(home)
  const run: Run = { bank, user, syncing: { world, mortals, home }, waiting: [], log: [] }
  try {
    for (const round of rounds) await runRound(run, round)
    await end(run)
  } catch (error) {
    throw new Error(`${error}\nafter ${run.log.join(' ')}`, { cause: error })
  }
  return run.log
}

async function runRound(run: Run, { events, actions, sync }: Round): Promise<void> {
  const { bank, user, syncing, log } = run
  // The last event happens during the sync, if its way has a moment for it.
  const meanwhile = sync.kind === 'requestedMeanwhile' ? events.slice(-1) : []
  change(run, events.slice(0, events.length - meanwhile.length))
  for (const { kind, chance } of actions) {
    log.push(kind)
    await act(user, kind, chance)
  }
  log.push(sync.kind)
  const way = syncKinds[sync.kind]
  await way.run(syncing, sync.chance, () => change(run, meanwhile))
  if (sync.kind === 'halfAPage') bank.purchases.forEach(showPart)
  const shown = await look(syncing.world.coffer, user)
  if (!way.isWhole) return checkPart(bank, user, shown)
  const health = await syncing.home.health()
  expect(health).toMatchObject({ status: 'active', failuresInRow: 0 })
  expect(health.lastError).toBeUndefined()
  checkWhole(bank, user, shown)
}

/** Lets events happen, those that waited first. */
function change(run: Run, events: readonly Event[]): void {
  const { bank, log } = run
  const due = run.waiting.concat(events)
  run.waiting = due.filter(({ kind, chance }) => {
    const lot = happen(bank, kind, chance)
    if (lot !== null) log.push(`${kind}:${lot}`)
    return lot === null
  })
}

async function syncWhole({ log, syncing: { home, world }, bank, user }: Run): Promise<void> {
  log.push('plain')
  await home.sync()
  checkWhole(bank, user, await look(world.coffer, user))
}

/** A pending purchase, on which the user has worked, is posted with a tip. */
async function tip(run: Run): Promise<void> {
  const { bank, user } = run
  const chance = { pick: 0, days: 5, variant: 0 }
  happen(bank, 'pend', chance)
  await syncWhole(run)
  const one = bank.purchases.at(-1)
  if (!one) throw new Error('the bank has no purchase')
  await workOn(user, one.transactionId, chance)
  bankEvents.settleWithTip.happen(bank, chance, one)
  expect(hasTip(one)).toBe(true)
  await syncWhole(run)
}

/** Syncs until all is known; another sync then writes nothing. */
async function end(run: Run): Promise<void> {
  const { home, world } = run.syncing
  for (let count = 0; count < 2; count += 1) await syncWhole(run)
  await tip(run)
  const before = await written(world.coffer, home)
  home.bank.reorder(7)
  run.log.push('quiet')
  const { lastArrival } = await home.sync()
  expect(lastArrival).toMatchObject({ added: 0, changed: 0, matched: 0, removed: 0, skipped: 0 })
  expect(await written(world.coffer, home)).toEqual(before)
}
