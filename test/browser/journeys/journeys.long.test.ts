import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { overflowOf, takePicture, useBrowser, waitForAnswers } from '../browser.ts'
import { createHousehold } from '../web/household.ts'
import { screensOf, visit } from '../web/screens.ts'

const { view } = useBrowser()

const coffer = started(() => startCoffer())

/** Name of the element with the focus, as a person sees it. */
const focused = `(() => {
  const { activeElement: one } = document
  const label = one.labels?.[0]?.textContent ?? one.getAttribute('aria-label')
  return (label ?? one.textContent ?? '').trim()
})()`

/** Presses Tab until an element with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = []
  for (let at = 0; at < 80; at += 1) {
    await page.keyboard.press('Tab')
    const now = await page.evaluate<string>(focused)
    if (now === name) return
    passed.push(now)
  }
  throw new Error(`Tab does not lead to ${name}, but to ${passed.join(', ')}`)
}

test('by Tab, Enter and letters alone: sign in, move money, undo it, read the help', async () => {
  const alice = await coffer.person()
  const { path } = await createHousehold(alice)
  await view({ url: `${coffer.baseUrl}/login`, hasRefusals: true }, async (page) => {
    const { keyboard } = page
    const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
    await heading('Sign in')
    await tabTo(page, 'Email address')
    await keyboard.type(alice.email)
    await tabTo(page, 'Password')
    await keyboard.type(alice.password)
    await keyboard.press('Enter')
    await heading('Home')
    await tabTo(page, 'Skip to the content')
    await keyboard.press('Enter')
    await tabTo(page, 'Why?')
    for (const key of ['g', 'e']) await keyboard.press(key)
    await page.getByRole('link', { name: 'Groceries' }).waitFor()
    await tabTo(page, 'Move money')
    await keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Move money' })
    await dialog.waitFor()
    await tabTo(page, 'To')
    await keyboard.type('Groc')
    await tabTo(page, 'Amount')
    await keyboard.type('10+5')
    await keyboard.press('Enter')
    await page.getByText('$15.00 moved').waitFor()
    await dialog.waitFor({ state: 'detached' })
    expect((await alice.get(`${path}/balances`)).expenses).toBe(13_500)
    await tabTo(page, 'Undo')
    await keyboard.press('Enter')
    await page.getByText('$15.00 moved').waitFor({ state: 'detached' })
    await page.getByText('$120.00').first().waitFor()
    await page.locator('h1').press('Escape')
    for (const key of ['g', '?']) await keyboard.press(key)
    await heading('Help')
    await tabTo(page, 'Bills, early and late')
    await keyboard.press('Enter')
    await heading('Bills, early and late')
    await tabTo(page, 'Cards and loans')
    await tabTo(page, 'Sign out')
    await keyboard.press('Enter')
    await heading('Sign in')
  })
})

test('on a phone with a finger: from registering to a payment, its undo and the help', async () => {
  const viewing = { url: `${coffer.baseUrl}/register`, isPhone: true, hasRefusals: true }
  await view(viewing, async (page) => {
    const tap = (role: 'button' | 'link', name: string | RegExp) =>
      page.getByRole(role, { name, exact: true }).first().tap()
    const expectFitting = async (name: string) => {
      await waitForAnswers(page)
      await takePicture(page, `journey-phone-${name}`)
      expect([name, await overflowOf(page)]).toEqual([name, 0])
    }
    await page.getByLabel('First name').fill('Ada')
    await page.getByLabel('Email address').fill('ada-on-a-phone@example.com')
    await page.getByLabel('Password', { exact: true }).fill('a long enough password')
    await expectFitting('register')
    await tap('button', 'Create a login')
    await page.getByLabel('Bank', { exact: true }).fill('First Bank')
    await page.getByLabel('Money in it now').fill('1000')
    await expectFitting('account')
    await tap('button', 'Create the account')
    await page.getByRole('heading', { name: 'When does money come in?' }).waitFor()
    await page.getByLabel('Expected pay', { exact: true }).fill('1800')
    await expectFitting('payday')
    await tap('button', 'Save')
    await page.getByRole('heading', { name: 'Your first envelopes' }).waitFor()
    for (const other of ['Groceries', 'Electricity']) await page.getByLabel(other).uncheck()
    await page.getByLabel('Amount needed').fill('400')
    await expectFitting('envelopes')
    await tap('button', 'Create one envelope')
    await page.getByText('$1,000.00').first().waitFor()
    await expectFitting('home')
    await tap('link', 'Envelopes')
    await tap('button', 'Move money')
    await page.getByLabel('Amount').fill('150')
    await expectFitting('move')
    await tap('button', 'Move it')
    await page.getByText('$150.00 moved from Free to use to Rent.').waitFor()
    await tap('link', 'Transactions')
    await tap('button', 'Add')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Landlord')
    await dialog.getByLabel('Amount').fill('100')
    await expectFitting('add')
    await dialog.getByRole('button', { name: 'Save' }).tap()
    await page.getByLabel('Envelope for Landlord').selectOption('Rent')
    await tap('link', 'Landlord')
    await page.getByText('$100.00 of it from the envelope').waitFor()
    await expectFitting('transaction')
    await tap('link', 'More')
    await tap('link', 'Help')
    await tap('link', 'The first day')
    await page.getByRole('heading', { name: 'Every week' }).waitFor()
    await expectFitting('help')
  })
})

/** Controls that a screen reader would name by their kind alone. */
const unnamed = /^\s*- (?:button|link|textbox|combobox|checkbox|slider|img)(?! ")\b.*$/gm

/** Returns the levels of headings that skip one, in the order of the tree. */
function skippedLevels(tree: string): string[] {
  const levels = [...tree.matchAll(/heading .*\[level=(\d)\]/g)].map(([, level]) => Number(level))
  return levels.flatMap((level, at) =>
    level > (levels[at - 1] ?? 0) + 1 ? [`${levels[at - 1]} to ${level}`] : [],
  )
}

test('the tree of a screen reader names all controls, and says what has changed', async () => {
  const bob = await coffer.person()
  const household = await createHousehold(bob)
  const { bank, spendingId } = household
  for (let amount = 1; amount <= 26; amount += 1) {
    const move = { fromSpendingId: null, toSpendingId: spendingId, amount }
    await bob.client.transferBetweenEnvelopes({ ...bank, body: move })
  }
  await view({ url: `${coffer.baseUrl}/login`, cookie: bob.cookie }, async (page) => {
    for (const { path, heading } of screensOf(household)) {
      await visit(page, { ...coffer, path, heading })
      const tree = await page.locator('body').ariaSnapshot()
      expect([path, tree.match(unnamed)]).toEqual([path, null])
      expect([path, skippedLevels(tree)]).toEqual([path, []])
      expect([path, tree.match(/^- main:/gm)?.length]).toEqual([path, 1])
    }
    await page.goto(`${coffer.baseUrl}/history`)
    const entries = page.getByRole('list', { name: 'History, newest first' })
    await entries.getByText('Groceries: Moved by hand').first().waitFor()
    expect(await entries.getByRole('listitem').count()).toBe(25)
    await page.getByRole('button', { name: 'Show older ones' }).press('Enter')
    await entries.getByText('Available: At the start').waitFor()
    await page.getByRole('link', { name: 'To the envelopes' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Envelopes' }).waitFor()
    // The focus is on the heading, which a screen reader says.
    expect(await page.evaluate<string>(focused)).toBe('Envelopes')
    await page.getByRole('button', { name: 'Move money' }).press('Enter')
    await page.getByLabel('Amount').fill('5')
    await page.getByLabel('To', { exact: true }).selectOption({ index: 1 })
    await page.getByRole('button', { name: 'Move it' }).press('Enter')
    await page.getByRole('status').filter({ hasText: '$5.00 moved' }).waitFor()
  })
})
