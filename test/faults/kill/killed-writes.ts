import { eventually } from '@coffer/host/testing/boot'
import { expect } from '@jest/globals'
import { createGoal } from '../../harness/goal.ts'
import { newPerson, type Person } from '../../harness/person.ts'
import { rowsOf } from '../../mesh/rows-of-account.ts'
import type { Interrupted, Killable } from './interrupted.ts'

const tea = { name: 'Tea', amount: 100, date: '2026-03-02T06:00:00Z', adjustsBalance: true }

async function createTransactions(
  person: Person,
  transactions: number,
): Promise<{ linkId: string }> {
  const account = await person.createBankAccount(1_000_000)
  for (let left = transactions; left > 0; left -= 500) {
    const page = Array.from({ length: Math.min(left, 500) }, () => tea)
    await person.post(`${account.path}/transactions/bulk`, { transactions: page })
  }
  return account
}

const isCleaned = async ({ read }: Killable, linkId: string) =>
  (await read('SELECT cleaned_at FROM ledger.links WHERE link_id = $1', linkId)).cleaned_at !== null

const transactionsOf = async ({ read }: Killable, linkId: string) =>
  (
    await read(
      `SELECT count(*)::int AS left FROM ledger.transactions
       JOIN ledger.bank_accounts USING (account_id, bank_account_id) WHERE link_id = $1`,
      linkId,
    )
  ).left

/** Prepares the deletion of a link. The kill occurs before the deletion's event is published. */
export async function prepareLinkDeletion(killable: Killable): Promise<Interrupted> {
  const { deployment } = killable
  const alice = await newPerson(deployment.baseUrl)
  const { linkId } = await createTransactions(alice, 50)
  return {
    act: async () => {
      expect(await alice.call('DELETE', `/links/${linkId}`)).toMatchObject({ status: 200 })
    },
    whileDown: async () => {
      expect(await isCleaned(killable, linkId)).toBe(false)
    },
    afterRestart: async () => {
      await eventually(() => isCleaned(killable, linkId), Boolean)
      expect(await transactionsOf(killable, linkId)).toBe(0)
    },
  }
}

/** Prepares the clean-up of a deleted link. The kill occurs while it deletes transactions. */
export async function prepareCleanUp(killable: Killable): Promise<Interrupted> {
  const { deployment } = killable
  const alice = await newPerson(deployment.baseUrl)
  const kept = await alice.createBankAccount(5_000)
  const { linkId } = await createTransactions(alice, 2_000)
  const bob = await newPerson(deployment.baseUrl)
  const untouched = await bob.createBankAccount(7_000)
  return {
    act: async () => {
      expect(await alice.call('DELETE', `/links/${linkId}`)).toMatchObject({ status: 200 })
      await eventually(
        () => transactionsOf(killable, linkId),
        (left) => left < 2_000,
      )
    },
    afterRestart: async () => {
      await eventually(() => isCleaned(killable, linkId), Boolean)
      expect(await transactionsOf(killable, linkId)).toBe(0)
      expect(await alice.get(`${kept.path}/balances`)).toMatchObject({ available: 5_000 })
      expect(await bob.get(`${untouched.path}/balances`)).toMatchObject({ available: 7_000 })
    },
  }
}

/**
 * Prepares a transaction that a goal pays. Until the kill, a row lock keeps budgeting from saving
 * the plan of this goal.
 */
export async function prepareWriteWithoutPlan(
  { deployment, connect, read, reader }: Killable,
  isPublished: boolean,
): Promise<Interrupted> {
  const alice = await newPerson(deployment.baseUrl)
  const { path, spendingId } = await createGoal(alice, 1_000)
  const plan = () =>
    read(
      `SELECT current_amount::int AS held, next_contribution_amount::int AS share
       FROM budgeting.spending WHERE spending_id = $1`,
      spendingId,
    )
  await eventually(plan, ({ held }) => held === 1_000)
  const holder = await connect()
  await holder.query('BEGIN')
  await holder.query('SELECT FROM budgeting.spending WHERE spending_id = $1 FOR UPDATE', [
    spendingId,
  ])
  return {
    act: async () => {
      const body = { name: 'Bell', amount: 300, date: '2026-03-02T06:00:00Z', spendingId }
      const answer = await alice.call('POST', `${path}/transactions`, { body })
      expect(answer).toMatchObject({ status: 200, body: { balance: { goals: 700 } } })
      expect(answer.body.spending).toMatchObject({ spendingId, currentAmount: 700 })
      const unpublished = () =>
        read('SELECT count(*)::int AS left FROM ledger.changes WHERE published_at IS NULL')
      await eventually(unpublished, ({ left }) => (left === 0) === isPublished)
    },
    whileDown: async () => {
      await reader.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`)
      await holder.query('ROLLBACK')
      expect(await plan()).toMatchObject({ held: 1_000 })
    },
    afterRestart: async () => {
      const { held } = await eventually(plan, ({ held }) => held !== 1_000, 60_000)
      expect(held).toBe(700)
      const [shown] = await alice.get(`${path}/spending`)
      expect((await plan()).share).toBe(shown.nextContributionAmount)
    },
  }
}

/** Prepares the deletion of an account. The process is killed after it has answered the request. */
export async function prepareAccountDeletion({ deployment }: Killable): Promise<Interrupted> {
  const person = await newPerson(deployment.baseUrl)
  await createTransactions(person, 100)
  const isGone = (rows: Record<string, number>) =>
    Object.keys(rows).every((table) => /deleted_accounts|account_deletions/.test(table))
  return {
    act: async () => {
      const body = { currentPassword: person.password }
      const deleted = await person.call('DELETE', '/users/me', { body, asSession: true })
      expect(deleted.status).toBe(200)
    },
    whileDown: async () => {
      const before = await rowsOf(deployment.databaseUrl, person)
      expect(before['ledger.transactions']).toBe(100)
    },
    afterRestart: async () => {
      await eventually(() => rowsOf(deployment.databaseUrl, person), isGone, 90_000)
    },
  }
}
