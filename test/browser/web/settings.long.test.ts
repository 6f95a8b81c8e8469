import { readFileSync } from 'node:fs'
import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { type Person, statusOf } from '@coffer/test/harness/person.ts'
import { codeFor } from '@coffer/test/harness/second-factor.ts'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { expectLooks, takePicture, useBrowser } from '../browser.ts'
import { atHome } from '../launch.ts'

const { view } = useBrowser()

const coffer = started(() => startCoffer())

/** Reloads a page with an edited form: the browser asks first. */
async function expectQuestion(page: Page) {
  await page.getByLabel('First name').fill('Ada')
  const asked = page.waitForEvent('dialog')
  const reloaded = page.reload()
  const question = await asked
  expect(question.type()).toBe('beforeunload')
  await question.accept()
  await reloaded
}

test('a person sets up a second factor, has a key, and deletes the account', async () => {
  const alice = await coffer.person()
  const url = `${atHome(coffer.baseUrl)}/settings`
  const viewing = { url, cookie: alice.cookie, hasRefusals: true }
  await view(viewing, async (page) => {
    const card = (name: string) => page.getByRole('region', { name, exact: true })
    const index = page.getByRole('navigation', { name: 'On this page' })
    await index.getByRole('link', { name: 'About' }).waitFor()
    const titles = await index.getByRole('link').allTextContents()
    const headings = await page.getByRole('heading', { level: 2 }).allTextContents()
    expect(titles).toEqual(headings)
    await index.getByRole('link', { name: 'API keys' }).click()
    await page.waitForURL(/#api-keys$/)
    await card('Sessions').getByText('A program or an unknown browser (this device)').waitFor()
    const begin = async () => {
      await card('Second factor').getByLabel('Present password').fill(alice.password)
      await page.getByRole('button', { name: 'Set it up' }).click()
      await page.getByRole('img', { name: /QR code/ }).waitFor()
      const app = page.getByRole('link', { name: 'Open in an authenticator app on this device' })
      expect(await app.getAttribute('href')).toMatch(/^otpauth:/)
    }
    await begin()
    await takePicture(page, 'web-second-factor')
    await card('Second factor').getByRole('button', { name: 'Cancel' }).click()
    await begin()
    const key = await card('Second factor').locator('code').first().textContent()
    await page.getByLabel('Code of 6 digits').fill(codeFor(key ?? ''))
    await page.getByRole('button', { name: 'Switch it on' }).click()
    await page.getByText('Sign-in needs a code of your authenticator app.').waitFor()
    await card('API keys').getByLabel('Name').fill('script')
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByRole('button', { name: 'Copy: API keys' }).click()
    await page.getByText('Copied.').waitFor()
    const secret = await card('API keys').locator('code').textContent()
    const client = alice.connect({ key: secret ?? '' })
    expect(await statusOf(client.listLinks())).toBe(200)
    await page.getByRole('button', { name: 'Revoke script' }).click()
    const asked = page.getByRole('dialog', { name: 'Revoke script?' })
    await asked.getByText('lose their access').waitFor()
    await asked.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('button', { name: 'Revoke script' }).waitFor({ state: 'detached' })
    expect(await statusOf(client.listLinks())).toBe(401)
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download it' }).click()
    const file = readFileSync(await (await saved).path(), 'utf8')
    expect(JSON.parse(file)).toMatchObject({ format: 1, complete: true })
    await page.getByText(/^Downloaded: .*MB\.$/).waitFor()
    await expectQuestion(page)
    await page.getByRole('button', { name: 'Delete the account' }).click()
    await page.getByRole('dialog').getByLabel('Present password').fill(alice.password)
    const proof = { currentPassword: alice.password }
    const [code = ''] = (await alice.session.replaceRecoveryCodes({ body: proof })).data
      .recoveryCodes
    await page.getByRole('dialog').getByLabel('Code of 6 digits').fill(code)
    await page.getByRole('button', { name: 'Delete everything' }).click()
    await page.getByText('Your account is deleted').waitFor()
  })
})

test('a further account by hand comes under a bank that there is, chosen or typed', async () => {
  const { client, cookie, ...carol } = await coffer.person()
  await carol.createBankAccount(0)
  const [first] = (await client.listLinks()).data ?? []
  const { linkId } = (await client.createLink({ body: { institutionName: 'Credit Union' } })).data
  const sums = { currentBalance: 0, availableBalance: 0 }
  await client.createBankAccount({ body: { linkId, name: 'Euros', currency: 'EUR', ...sums } })
  await view({ url: `${coffer.baseUrl}/setup`, cookie }, async (page) => {
    const add = async (name: string) => {
      await page.getByLabel('Name of the account').fill(name)
      await page.getByRole('button', { name: 'Create the account' }).click()
      await page.getByText(`${name} is added.`).waitFor()
      await page.getByRole('link', { name: 'Add a bank account' }).click()
    }
    const bank = page.getByRole('combobox', { name: 'Bank', exact: true })
    expect(await page.getByLabel('Currency').inputValue()).toBe('USD')
    await bank.selectOption('Credit Union')
    expect(await page.getByLabel('Currency').inputValue()).toBe('EUR')
    expect(await page.getByLabel('Name of the bank').count()).toBe(0)
    await add('Car')
    await page.getByLabel('Name of the bank').fill(` ${first?.institutionName.toUpperCase()}`)
    await page.getByText(`There is a bank called ${first?.institutionName} already.`).waitFor()
    await expectLooks(page, 'web-known-bank')
    await page.getByRole('button', { name: 'Put the account under it' }).click()
    expect(await bank.inputValue()).toBe(first?.linkId)
    await add('Savings')
    await expectLooks(page, 'web-bank-choice')
  })
  const accounts = (await client.listBankAccounts()).data ?? []
  const links = (await client.listLinks()).data ?? []
  const bankOf = (linkId: string) => links.find((one) => one.linkId === linkId)?.institutionName
  expect(accounts.map(({ name, linkId }) => [name, bankOf(linkId)])).toEqual([
    ['Checking', first?.institutionName],
    ['Euros', 'Credit Union'],
    ['Car', 'Credit Union'],
    ['Savings', first?.institutionName],
  ])
  expect(links).toHaveLength(2)
})

test('a person adds a card by what is owed on it, and states its balance again', async () => {
  const alice = await coffer.person()
  const sumsOf = async () => {
    const [account] = (await alice.client.listBankAccounts()).data ?? []
    const { accountType, currentBalance, availableBalance, limitBalance } = account ?? {}
    return [accountType, currentBalance, availableBalance, limitBalance]
  }
  const viewing = { url: `${coffer.baseUrl}/setup`, cookie: alice.cookie, width: 360 }
  await view({ ...viewing, hasRefusals: true }, async (page) => {
    await page.getByLabel('Bank', { exact: true }).fill('First Bank')
    await page.getByLabel('Kind of account').selectOption('Credit card')
    const name = page.getByLabel('Name of the account')
    await name.fill('x'.repeat(301))
    await page.getByRole('button', { name: 'Create the account' }).click()
    await page.locator('[aria-invalid]').waitFor()
    await name.fill('Credit card')
    await page.locator('[aria-invalid]').waitFor({ state: 'detached' })
    await page.getByLabel('Owed now').fill('250')
    await page.getByLabel('Credit limit').fill('1,000')
    await takePicture(page, 'web-new-card-phone')
    await page.getByRole('button', { name: 'Create the account' }).click()
    // A debt has no paydays to plan.
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await page.getByRole('heading', { name: 'Owed' }).waitFor()
    await page.getByRole('button', { name: 'Why?' }).click()
    await page.getByText('$750.00 of it is unused credit').waitFor()
    // Without envelopes, nothing waits for a payday.
    expect(await page.getByText('No payday is planned').count()).toBe(0)
    expect(await page.getByText('Free to use', { exact: true }).count()).toBe(0)
    expect(await sumsOf()).toEqual(['credit', -25_000, 75_000, 100_000])
    await expectPending(page, alice)
    // The bank of the refused account is not created twice.
    expect((await alice.client.listLinks()).data).toHaveLength(1)
    await page.goto(`${coffer.baseUrl}/accounts`)
    await page.getByRole('button', { name: 'Edit Credit card' }).click()
    await page.getByLabel('Owed', { exact: true }).fill('260')
    await page.getByLabel('Credit limit').fill('$1,200')
    await takePicture(page, 'web-edit-account-phone')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('$260.00', { exact: true }).waitFor()
    expect(await sumsOf()).toEqual(['credit', -26_000, 89_000, 120_000])
    await stateBalance(page, 'inCredit', '25')
    await page.getByText('In credit', { exact: true }).waitFor()
    expect(await sumsOf()).toEqual(['credit', 2_500, 117_500, 120_000])
    await stateBalance(page, 'owed', '260')
    await page.getByText('$260.00', { exact: true }).waitFor()
    await expectNonePlanned(page)
    await page.goto(`${coffer.baseUrl}/accounts`)
    await page.getByRole('button', { name: 'Archive Credit card' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click()
    await page.getByText('Archived (1)').click()
    await takePicture(page, 'web-archived-phone')
    expect(await sumsOf()).toEqual([undefined, undefined, undefined, undefined])
    await page.getByRole('button', { name: 'Restore Credit card' }).click()
    await page.getByRole('button', { name: 'Edit Credit card' }).waitFor()
    expect(await sumsOf()).toEqual(['credit', -26_000, 89_000, 120_000])
    await page.getByRole('link', { name: 'Add a bank account' }).click()
    await page.getByLabel('Name of the bank').fill('Second Bank')
    await page.getByLabel('Kind of account').selectOption('Savings')
    await page.getByRole('button', { name: 'Create the account' }).click()
    // The screens stay with the account that was chosen.
    const chosen = page.getByLabel('Bank account').locator('option:checked')
    await page.getByText('Savings is added.').waitFor()
    expect(await chosen.textContent()).toBe('Credit card')
    await page.getByRole('button', { name: 'Show the new one' }).click()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    expect(await chosen.textContent()).toBe('Savings')
  })
})

/** Pays with the only card of a person, pending, and expects its reason to say so. */
async function expectPending(page: Page, { client }: Person): Promise<void> {
  const [{ bankAccountId = '' } = {}] = (await client.listBankAccounts()).data ?? []
  const held = { name: 'Hotel', amount: 5_000, date: new Date().toISOString(), isPending: true }
  const body = { ...held, adjustsBalance: true }
  await client.createTransaction({ path: { bankAccountId }, body })
  await page.reload()
  await page.getByRole('button', { name: 'Why?' }).click()
  await page.getByText('Another $50.00 is pending').waitFor()
  await page.getByText('$700.00 of it is unused credit').waitFor()
  await takePicture(page, 'web-card-why-phone')
}

/** Expects the screens of a card without envelopes to name the account that pays it. */
async function expectNonePlanned(page: Page): Promise<void> {
  await page.goto(`${coffer.baseUrl}/envelopes`)
  await page.getByText('Keep the envelopes on the account that pays this card').waitFor()
  await page.goto(`${coffer.baseUrl}/forecast`)
  await page.getByText('Nothing is planned here, so nothing changes.').waitFor()
}

/** States a balance of the credit card that is owed, or in credit. */
async function stateBalance(page: Page, side: 'owed' | 'inCredit', amount: string): Promise<void> {
  await page.getByRole('button', { name: 'Edit Credit card' }).click()
  await page.getByLabel('Owed or in credit?').selectOption(side)
  const label = side === 'owed' ? 'Owed' : 'In credit'
  await page.getByLabel(label, { exact: true }).fill(amount)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

test.each([
  ['a limit', 100_000, 'Unused credit ($730.00)', 'Changes of unused credit', 'Lowest: '],
  ['no limit', 0, 'Owed ($250.00)', 'Changes of what is owed', 'Most owed: '],
])('a card with %s says what is owed, and never that it is free', async (_, limit, ...said) => {
  const [place = '', changes = '', point = ''] = said
  const alice = await coffer.person()
  const { client } = alice
  const { linkId } = await alice.createBankAccount(0)
  const kind = { name: 'Visa', accountType: 'credit', accountSubType: 'credit card' } as const
  const owed = { currentBalance: -25_000, availableBalance: limit - 25_000, limitBalance: limit }
  const { bankAccountId } = (await client.createBankAccount({ body: { linkId, ...kind, ...owed } }))
    .data
  const path = { bankAccountId }
  const at = 'DTSTART:20260101T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY='
  const payday = { name: 'Payday', ruleset: `${at}15` }
  const { fundingScheduleId } = (await client.createFundingSchedule({ path, body: payday })).data
  const plan = { name: 'Food', targetAmount: 40_000, fundingScheduleId, ruleset: `${at}1` }
  const expense = { ...plan, spendingType: 'expense' } as const
  const { spendingId } = (await client.createSpending({ path, body: expense })).data
  const body = { fromSpendingId: null, toSpendingId: spendingId, amount: 2_000 }
  await client.transferBetweenEnvelopes({ path, body })
  const shoes = { name: 'Shoes', amount: 500, date: new Date().toISOString() }
  await client.createTransaction({ path, body: shoes })
  const url = `${coffer.baseUrl}/envelopes?account=${bankAccountId}`
  await view({ url, cookie: alice.cookie }, async (page) => {
    await page.getByRole('region', { name: 'Owed' }).getByText('$250.00').waitFor()
    await page.getByRole('button', { name: 'Move money' }).click()
    await page.getByLabel('From').getByText(place).waitFor({ state: 'attached' })
    await page.goto(url.replace('envelopes', 'forecast'))
    await page.getByRole('heading', { name: changes }).waitFor()
    await page.getByText(point).waitFor()
    expect(await page.getByText(/free to use/i).count()).toBe(0)
    for (const screen of ['', 'transactions']) {
      await page.goto(url.replace('envelopes', screen))
      await page.getByLabel('Envelope for Shoes').waitFor()
      expect(await page.getByText(/free to use/i).count()).toBe(0)
    }
    await page.getByLabel('Envelope for Shoes').selectOption('Leave it without an envelope')
    await page.getByText('Shoes stays without an envelope.').waitFor()
  })
})
