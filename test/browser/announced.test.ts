import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import type { Person } from '@coffer/test/harness/person.ts'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { takePicture, useBrowser } from './browser.ts'

const { view } = useBrowser()

const coffer = started(() => startCoffer())

/** Returns the day that comes `days` days after today in Chicago, `20261130`. */
function dayAfter(days: number): string {
  const today = new Date().toLocaleDateString('sv', { timeZone: 'America/Chicago' })
  const day = new Date(Date.parse(today) + days * 86_400_000)
  return day.toISOString().slice(0, 10).replaceAll('-', '')
}

const rulesetOf = (days: number, rule: string) =>
  `DTSTART:${dayAfter(days)}T060000Z\nRRULE:FREQ=WEEKLY${rule}`

/** Creates a payday in three days, and an expense of 90.00 a week from tomorrow. */
async function createWeek(person: Person) {
  const { bank } = await person.createBankAccount(100_000)
  const { client } = person
  const schedule = { name: 'Wage', ruleset: rulesetOf(3, ';INTERVAL=2') }
  const { fundingScheduleId } = (await client.createFundingSchedule({ ...bank, body: schedule }))
    .data
  const plan = { name: 'Food', fundingScheduleId, targetAmount: 90_00, settlesWhenSpent: true }
  const expense = { ...plan, spendingType: 'expense', ruleset: rulesetOf(1, '') } as const
  const { spendingId } = (await client.createSpending({ ...bank, body: expense })).data
  const pay = async (amount: number) => {
    const paid = { name: 'Shop', amount, date: new Date().toISOString(), spendingId }
    await client.createTransaction({ ...bank, body: paid })
  }
  const fill = (amount: number) =>
    client.transferBetweenEnvelopes({ ...bank, body: { toSpendingId: spendingId, amount } })
  return { pay, fill }
}

const open = async (page: Page, place: string) => {
  await page.getByRole('link', { name: place, exact: true }).first().click()
  await page.getByRole('heading', { level: 1, name: place }).waitFor()
}

test('every screen announces what the next payday books after a bill', async () => {
  const alice = await coffer.person()
  const { pay, fill } = await createWeek(alice)
  await fill(162_87)
  await pay(42_76)
  // Budgeting learns of the moved money by an event.
  await eventually(
    () => alice.get('/overview'),
    (overview) => JSON.stringify(overview).includes('"contribution":10713'),
  )
  await view({ url: coffer.baseUrl, cookie: alice.cookie }, async (page) => {
    await page.getByText('fills one envelope with $107.13').waitFor()
    await open(page, 'Paydays')
    await page.getByText('$107.13').nth(1).waitFor()
    await open(page, 'Envelopes')
    await page.getByText('Next payday puts in $107.13').waitFor()
    await page.getByRole('link', { name: 'Food' }).click()
    await page.getByText('adds $107.13').waitFor()
    await page.getByRole('definition').getByText('$107.13').waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByText('The next payday puts $107.13 into it.').waitFor()
  })
})

test('a bill that free to use has paid is marked as paid by a person', async () => {
  const bob = await coffer.person()
  const { pay, fill } = await createWeek(bob)
  await fill(10_00)
  await pay(90_00)
  await view({ url: `${coffer.baseUrl}/envelopes`, cookie: bob.cookie }, async (page) => {
    await page.getByRole('link', { name: 'Food' }).click()
    const said = page.getByText('$90.00 was paid from it since')
    expect(await said.textContent()).toContain('of which $80.00 came from free to use')
    await takePicture(page, 'web-bill-from-free')
    await page.getByRole('button', { name: 'Mark as paid' }).click()
    await said.waitFor({ state: 'detached' })
    await open(page, 'Envelopes')
    await page.getByText('Paid', { exact: true }).waitFor()
  })
})

test('a late bill shows on its card, in the table and on home', async () => {
  const carol = await coffer.person()
  await createWeek(carol)
  const late = { graceUntil: new Date().toISOString(), graceAmount: 90_00 }
  await view({ url: coffer.baseUrl, cookie: carol.cookie }, async (page) => {
    // The clock of the server cannot pass a due date here: its answer is that of the day after.
    await page.route(/\/spending(\?.*)?$/, async (route) => {
      const response = await route.fetch()
      const spending = ((await response.json()) as object[]).map((one) => ({ ...one, ...late }))
      await route.fulfill({ response, json: spending })
    })
    await page.reload()
    const waits = page.getByText('$90.00 of the last period wait for a late bill until')
    await waits.waitFor()
    await open(page, 'Envelopes')
    await waits.waitFor()
    await page.getByText('Late', { exact: true }).waitFor()
    await takePicture(page, 'web-late')
    await page.getByRole('button', { name: 'As a table' }).click()
    await page.getByRole('cell', { name: 'Late' }).waitFor()
  })
})
