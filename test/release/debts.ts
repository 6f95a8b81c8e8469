import { readFile } from 'node:fs/promises'
import { eventually } from '@coffer/host/testing/boot'
import { expect } from '@jest/globals'
import pg from 'pg'
import { createGoalIn } from '../harness/goal.ts'
import { type Json, newPerson } from '../harness/person.ts'

/** A card and a goal of one person; the former release stores what is owed as positive. */
export interface Debts {
  /** Waits until this version has restated the debt, then books a purchase and a refund. */
  book: () => Promise<void>
  /** Requires the amounts of `book`, also of the former release, and one restatement. */
  requireKept: (databaseUrl: string) => Promise<void>
}

const date = '2026-03-02T06:00:00Z'

/** Creates a card with a statement of 250.00 owed, and a goal that has paid a purchase. */
export async function createDebts(baseUrl: string): Promise<Debts> {
  const person = await newPerson(baseUrl)
  const { linkId, path: checking } = await person.createBankAccount(100_000)
  const spendingId = await createGoalIn(person, checking, 20_000)
  const bought = { name: 'Bell', amount: 3_000, date, adjustsBalance: true }
  await person.post(`${checking}/transactions`, { ...bought, spendingId })
  const card = { linkId, name: 'Card', accountType: 'credit' }
  const balances = { availableBalance: 0, currentBalance: 0 }
  const { bankAccountId } = await person.post('/bank_accounts', { ...card, ...balances })
  const path = `/bank_accounts/${bankAccountId}`
  const form = new FormData()
  const file = await readFile(new URL('../data/card.qfx', import.meta.url))
  form.set('data', new Blob([file]), 'card.qfx')
  const { body } = await person.call('POST', `${path}/transactions/upload`, { form })
  const upload = () => person.get(`${path}/transactions/upload/${body.transactionUploadId}`)
  await eventually(upload, ({ status }) => status === 'complete')
  const buy = (amount: number) => person.post(`${path}/transactions`, { ...bought, amount })
  await buy(1_000)
  const read = (): Promise<Json> => person.get(`${path}/balances`)
  expect(await read()).toMatchObject({ current: 24_000, available: 74_000 })
  return {
    book: async () => {
      await eventually(read, ({ current }) => current === -26_000)
      await buy(500)
      const refund = { ...bought, amount: -1_000, refundSpendingId: spendingId }
      await person.post(`${checking}/transactions`, refund)
    },
    requireKept: async (databaseUrl) => {
      expect(await read()).toMatchObject({ current: -26_500, available: 73_500 })
      const [goal] = await person.get(`${checking}/spending`)
      expect(goal).toMatchObject({ currentAmount: 18_000, usedAmount: 2_000 })
      const client = new pg.Client({ connectionString: databaseUrl })
      await client.connect()
      const restated = `SELECT delta::int FROM ledger.journal
        WHERE bank_account_id = $1 AND cause = 'restated'`
      const { rows } = await client.query(restated, [bankAccountId]).finally(() => client.end())
      expect(rows).toEqual([{ delta: -50_000 }])
    },
  }
}
