import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import type { Person } from '@coffer/test/harness/person.ts'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { takePicture, useBrowser } from './browser.ts'

const { view } = useBrowser()

const coffer = started(() => startCoffer())

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const ruleOf = (rule: string) => `DTSTART:20260101T060000Z\nRRULE:FREQ=${rule}`

/** Creates a monthly payday in 20 days, and an expense that it fills. */
async function createExpense(person: Person, plan: { name: string; ruleset: string }) {
  const { bank } = await person.createBankAccount(100_000)
  const { client } = person
  const wage = { name: 'Wage', ruleset: ruleOf('MONTHLY;BYMONTHDAY=1'), nextRecurrence: inDays(20) }
  const paid = { ...wage, estimatedDeposit: 180_000 }
  const { fundingScheduleId } = (await client.createFundingSchedule({ ...bank, body: paid })).data
  const of = { fundingScheduleId, targetAmount: 10_000, spendingType: 'expense' } as const
  const { spendingId } = (await client.createSpending({ ...bank, body: { ...of, ...plan } })).data
  const fill = (amount: number) =>
    client.transferBetweenEnvelopes({ ...bank, body: { toSpendingId: spendingId, amount } })
  return { bank, spendingId, fill, path: { ...bank.path, spendingId } }
}

/** Changes the answers of some requests: the clock of the server cannot pass days here. */
async function change(page: Page, path: RegExp, to: (answer: never) => unknown): Promise<void> {
  await page.route(path, async (route) => {
    const { 'if-none-match': _, ...headers } = route.request().headers()
    const response = await route.fetch({ headers })
    await route.fulfill({ response, json: to((await response.json()) as never) })
  })
}

/** Width of a phone. */
const width = 390

test('groceries that do not last until the payday are listed, and are not behind', async () => {
  const alice = await coffer.person()
  const plan = { name: 'Groceries', ruleset: ruleOf('WEEKLY'), carryOver: true }
  const { fill, path } = await createExpense(alice, plan)
  const { duesBeforeFunding } = (await alice.client.explainSpending({ path })).data
  const url = coffer.baseUrl
  await view({ url, cookie: alice.cookie, width }, async (page) => {
    await page.getByRole('heading', { name: 'Not enough until the payday' }).waitFor()
    const all = `$${duesBeforeFunding}00.00`
    await page.getByText(`${all} is missing for purchases until the next payday.`).waitFor()
    expect(await page.getByText('Behind').count()).toBe(0)
    await takePicture(page, 'web-home-groceries')
    await page.goto(`${url}/envelopes`)
    const wanted = `of ${all} until the payday (${duesBeforeFunding} × $100.00)`
    await page.getByText(wanted).waitFor()
    await takePicture(page, 'web-envelopes-groceries')
    await page.goto(url)
    await fill(duesBeforeFunding * 100_00)
    await page.getByText('Every envelope is on its way.').waitFor()
  })
})

test('on a payday below zero, home says that its pay is missing', async () => {
  const bob = await coffer.person()
  const { fill } = await createExpense(bob, { name: 'Rent', ruleset: ruleOf('MONTHLY') })
  await fill(100_100)
  await view({ url: `${coffer.baseUrl}/icon.svg`, cookie: bob.cookie, width }, async (page) => {
    await change(page, /api.overview/, (overview: { paydays: object[] }) => ({
      ...overview,
      paydays: overview.paydays.map((one) => ({ ...one, lastRecurrence: inDays(0) })),
    }))
    await page.goto(coffer.baseUrl)
    await page.getByText(/^Today is payday, and no income of about \$1,800\.00 has/).waitFor()
    await page.getByRole('link', { name: 'Below zero: move money out of an envelope' }).waitFor()
    expect(await page.getByText('no income of about').count()).toBe(1)
    await takePicture(page, 'web-home-payday')
    await page.unrouteAll({ behavior: 'wait' })
  })
})

test('a bill without a payment stays on home after its days of grace', async () => {
  const carol = await coffer.person()
  const plan = { name: 'Rent', ruleset: ruleOf('MONTHLY'), graceDays: 5 }
  const { bank, spendingId } = await createExpense(carol, plan)
  await view({ url: `${coffer.baseUrl}/icon.svg`, cookie: carol.cookie, width }, async (page) => {
    await change(page, /\/spending(\?.*)?$/, (all: object[]) =>
      all.map((one) => ({ ...one, lastRecurrence: inDays(-7), isBehind: false })),
    )
    const ended = { operationId: `${spendingId}/grace/1`, cause: 'period-closed', delta: -82_500 }
    const entry = { ...ended, occurrence: inDays(-7), createdAt: inDays(-1), pot: 'envelope' }
    await change(page, /\/spnd_\w+\/history/, () => ({ entries: [entry], nextCursor: null }))
    await page.goto(coffer.baseUrl)
    await page.getByRole('heading', { name: 'No payment recorded' }).waitFor()
    await page
      .getByText(/^No payment is recorded for the bill of .* its \$825\.00 is free/)
      .waitFor()
    await takePicture(page, 'web-home-unrecorded')
    await page.getByRole('link', { name: 'Add its payment' }).click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    const rent = { name: 'Landlord', amount: 82_500, date: inDays(0), spendingId }
    await carol.client.createTransaction({ ...bank, body: rent })
    await page.getByText('Every envelope is on its way.').waitFor()
    await page.unrouteAll({ behavior: 'wait' })
  })
})

const file = ['!Type:CCard', `D${inDays(0).slice(0, 10)}`, 'T-129.91', 'PMonzo', '^'].join('\n')

test('home says that imports move no balance, and that a card may be paid', async () => {
  const dave = await coffer.person()
  const { linkId, bank } = await dave.createBankAccount(100_000)
  const typed = { linkId, name: 'Visa', accountType: 'credit', balancesAsOf: inDays(-3) } as const
  const body = { ...typed, currentBalance: -21_725, availableBalance: 0 }
  const { bankAccountId } = (await dave.client.createBankAccount({ body })).data
  const form = new FormData()
  form.set('data', new Blob([file]), 'visa.qif')
  await dave.call('POST', `/bank_accounts/${bankAccountId}/transactions/upload`, { form })
  const url = `${coffer.baseUrl}/?account=${bankAccountId}`
  await view({ url, cookie: dave.cookie, width }, async (page) => {
    await page.getByText(/payments of \$129\.91 came since, by one imported/).waitFor()
    await takePicture(page, 'web-home-stale-balance')
    await page.getByRole('link', { name: 'Change the balance' }).click()
    await page.getByRole('dialog').waitFor()
    await page.goto(`${coffer.baseUrl}/?account=${bank.path.bankAccountId}`)
    await page.getByText('Owed on Visa: $217.25. No envelope').waitFor()
    const payment = { name: 'To the card', amount: 217_25, date: inDays(0) }
    await dave.client.createTransaction({ ...bank, body: payment })
    await page.getByText('Owed on Visa: $217.25. A payment of that amount').waitFor()
    await takePicture(page, 'web-home-card-paid')
  })
})

test('all changes name a correction as such, far from its payment', async () => {
  const erin = await coffer.person()
  const { bank } = await erin.createBankAccount(100_000)
  const pay = async (name: string) => {
    const body = { name, amount: 500, date: inDays(0), adjustsBalance: true }
    return (await erin.client.createTransaction({ ...bank, body })).data.transaction
  }
  const { transactionId } = await pay("Nando's")
  for (const name of Array.from({ length: 15 }, (_, index) => `Shop ${index}`)) await pay(name)
  const path = { ...bank.path, transactionId }
  await erin.client.correctTransaction({ path, body: { amount: 700 } })
  await view({ url: `${coffer.baseUrl}/history`, cookie: erin.cookie, width }, async (page) => {
    const rows = page.getByRole('list', { name: 'History, newest first' }).getByRole('listitem')
    await rows.first().getByText("Nando's, corrected").waitFor()
    expect(await rows.count()).toBe(25)
    await page.getByRole('button', { name: 'Show older ones' }).click()
    await rows
      .getByText(/: Nando's$/)
      .first()
      .waitFor()
  })
})
