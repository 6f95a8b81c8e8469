import { booting } from '@coffer/host/testing/booting'
import { problemsOf } from '@coffer/kit/rpc/errors'
import { ledger } from '@coffer/ledger/service'
import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { budgeting } from '../../src/service.ts'
import { createBudgetHousehold, type Household } from '../household.ts'

const booted = booting([ledger, budgeting], {}, '2023-10-09T13:32Z')

/** Returns `done`, or the problem of the name. */
async function answerTo(creation: Promise<unknown>): Promise<unknown> {
  const error = await creation.then(() => null, ConnectError.from)
  if (error) expect(error.code).toBe(Code.AlreadyExists)
  return error ? problemsOf(error)?.name : 'done'
}

function rename({ spending, bankAccountId, as }: Household, spendingId: string, name: string) {
  const updateMask = { paths: ['name'] }
  return answerTo(spending.updateSpending({ bankAccountId, spendingId, name, updateMask }, as))
}

const taken = (name: string) => `is taken by another one of the bank account: ${name}`

test('names of plans and schedules are unique by the form in which search compares', async () => {
  const home = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await home.pay()
  // The existing name, other spellings of it, and with a mark other names.
  const table = `
    Rent | rent | RENT | Rént | !Rent 2
    Straße | STRASSE | strasse | !Strase
    Úvěry | uvery | ÚVĚRY | U\u0301ve\u030cry
    Μισθός | μισθος | ΜΙΣΘΌΣ
    ﬁn ①２ | FIN 12
    が | \u304b\u3099 | !か`
  for (const line of table.trim().split('\n')) {
    const [name = '', ...spellings] = line.trim().split(' | ')
    await home.expense(fundingScheduleId, { name })
    await home.goal(fundingScheduleId, { name })
    await home.pay({ name })
    for (const one of spellings) {
      const isFree = one.startsWith('!')
      const sent = { name: one.replace('!', '') }
      const plan = await answerTo(home.expense(fundingScheduleId, sent))
      const schedule = await answerTo(home.pay(sent))
      const refused = [taken(name), `is taken by another schedule of the bank account: ${name}`]
      expect([one, plan, schedule]).toEqual([one, ...(isFree ? ['done', 'done'] : refused)])
    }
  }
})

test('of spellings of one name at once, one is created, and the others name it', async () => {
  const home = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await home.pay()
  const answers = await Promise.all(
    ['rent', 'Rent', 'RENT', 'rént'].map((name) => {
      return answerTo(home.expense(fundingScheduleId, { name }))
    }),
  )
  const [{ name } = { name: '' }, ...others] = await home.list()
  expect(others).toEqual([])
  expect(answers.sort()).toEqual(['done', ...Array(3).fill(taken(name))])
})

test('names of before that collide stay, and take other spellings', async () => {
  const home = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await home.pay()
  const { spendingId } = await home.expense(fundingScheduleId, { name: 'rent' })
  expect(await rename(home, spendingId, 'Rent')).toBe('done')
  const other = await home.expense(fundingScheduleId, { name: 'Food' })
  expect(await rename(home, other.spendingId, 'RENT')).toBe(taken('Rent'))
  await booted.database('budgeting').transaction(async (tx) => {
    await tx.query(sql.unsafe`SET LOCAL session_replication_role = replica`)
    await tx.query(sql.unsafe`
      UPDATE spending SET name = 'RENT' WHERE spending_id = ${other.spendingId}`)
  })
  expect(await rename(home, spendingId, 'Rent')).toBe('done')
  expect(await rename(home, other.spendingId, 'rENT')).toBe('done')
  expect(await rename(home, other.spendingId, 'Rent')).toBe(taken('Rent'))
})
