import { readFileSync } from 'node:fs'
import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { clientOf, type Person } from '@coffer/test/harness/person.ts'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { useBrowser, waitForAnswers } from '../browser.ts'
import { createHousehold, type Household } from '../web/household.ts'
import { screensOf, visit } from '../web/screens.ts'

const { view } = useBrowser()

const coffer = started(() => startCoffer())

const file = new URL('../../data/hostile-texts.txt', import.meta.url)
const texts = readFileSync(file, 'utf8').trimEnd().split('\n')
const [first = ''] = texts
/** Midnight in Chicago, the timezone of the household. */
const nextRecurrence = '2040-01-02T06:00:00Z'
const tagOf = (text: string) => (text.length > 50 || text.includes(',') ? [] : [text])

/** Writes the texts into all that a person or a bank can name. */
async function writeTexts(person: Person, household: Household): Promise<void> {
  const { client, session } = person
  const { bank, fundingScheduleId } = household
  const path = { ...bank.path, fundingScheduleId }
  await client.updateFundingSchedule({ path, body: { name: first } })
  await client.updateBankAccount({ ...bank, body: { name: first } })
  await client.createLink({ body: { institutionName: first, description: first } })
  await session.updateMe({ body: { firstName: first, lastName: first } })
  await session.createApiKey({ body: { name: first } })
  const { email, password } = person
  const other = clientOf(coffer.baseUrl, { fetch: withDevice(first) })
  await other.signIn({ body: { email, password } })
  const url = 'https://receiver.example/'
  await client.createWebhook({ body: { url, description: first } })
  const date = new Date().toISOString()
  const transactions = texts.map((text) => ({ name: text, notes: text, amount: 100, date }))
  await client.createTransactions({ ...bank, body: { transactions } })
  for (const text of texts) {
    const goal = {
      spendingType: 'goal',
      fundingScheduleId,
      targetAmount: 100,
      nextRecurrence,
    } as const
    await client.createSpending({ ...bank, body: { ...goal, name: text } })
    const conditions = { originalName: { kind: 'contains', text } } as const
    const actions = { name: text, notes: text, merchantName: text, tags: tagOf(text) }
    await client.createRule({ body: { name: text, conditions, actions } })
  }
  const rows = texts.map((text) => `D11/20/2026\nT-1.00\nP${text}\nM${text}\n^\n`)
  const data = new File([`!Type:Bank\n${rows.join('')}`], `${first.replaceAll('/', '')}.qif`)
  const { transactionUploadId } = (await client.createUpload({ ...bank, body: { data } })).data
  const upload = { path: { ...bank.path, transactionUploadId } }
  await eventually(
    async () => (await client.getUpload(upload)).data.status,
    (status) => status === 'complete',
  )
}

/** Returns a `fetch` of a browser that calls itself so. */
function withDevice(name: string): typeof fetch {
  return (input, init) => {
    const request = new Request(input, init)
    request.headers.set('user-agent', name)
    return fetch(request)
  }
}

/** Returns the texts of a page: those of elements, fields and labels. */
async function textsOf(page: Page): Promise<string> {
  return await page.evaluate<string>(`[...document.querySelectorAll('body *')]
    .flatMap((one) => [one.value, one.ariaLabel, one.title, one.textContent])
    .filter((one) => typeof one === 'string').join('\\n')`)
}

/** Returns elements and links that no part of the app has. */
async function foreignOf(page: Page): Promise<string[]> {
  const elements =
    'img:not([src*="/assets/"]), iframe, object, embed, base, video, marquee, math, template, style'
  const links = ['javascript', 'data', 'https://elsewhere']
    .map((begin) => `[href^="${begin}"], [src^="${begin}"]`)
    .join(', ')
  return await page.evaluate<string[]>(
    `[...document.querySelectorAll('body :is(${elements}, script, ${links})')]
      .map((one) => one.outerHTML)`,
  )
}

test('hostile texts show as they are, on every screen', async () => {
  const mallory = await coffer.person()
  const household = await createHousehold(mallory)
  await writeTexts(mallory, household)
  const viewing = { url: `${coffer.baseUrl}/login`, cookie: mallory.cookie, hasRefusals: true }
  // A script that ran would log an error, with which the view fails, as with a report of the CSP.
  await view(viewing, async (page) => {
    for (const { path, heading } of screensOf(household)) {
      await visit(page, { ...coffer, path, heading })
      expect([path, await foreignOf(page)]).toEqual([path, []])
      if (!['/envelopes', '/rules'].includes(path)) continue
      const shown = await textsOf(page)
      expect([path, texts.filter((text) => !shown.includes(text))]).toEqual([path, []])
    }
    await readLines(page)
    for (const text of texts.slice(0, 3)) {
      const search = encodeURIComponent(text)
      await page.goto(`${coffer.baseUrl}/transactions?search=${search}`)
      await page.getByRole('link', { name: text, exact: true }).first().click()
      await page.getByRole('heading', { level: 1, name: 'Transaction', exact: true }).waitFor()
      await waitForAnswers(page)
      expect(await foreignOf(page)).toEqual([])
      await page.goto(`${coffer.baseUrl}/nothing/${search}?account=${search}#${search}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(await foreignOf(page)).toEqual([])
    }
    await page.goto(`${coffer.baseUrl}/tags`)
    await refuse(page)
  })
})

/** Scrolls through the transactions, and expects each text among their names. */
async function readLines(page: Page): Promise<void> {
  await page.goto(`${coffer.baseUrl}/transactions`)
  await page.locator('main a[data-line]').first().waitFor()
  const seen = new Set<string>()
  for (let top = 0; top < 10_000; top += 500) {
    await page.evaluate(`scrollTo(0, ${top})`)
    await waitForAnswers(page)
    const names = await page.locator('main a[data-line]').allTextContents()
    for (const name of names) seen.add(name)
  }
  expect(texts.filter((text) => !seen.has(text))).toEqual([])
}

/** Expects that the error of an answer shows as text, and so do those of its fields. */
async function refuse(page: Page): Promise<void> {
  await page.goto(`${coffer.baseUrl}/transactions`)
  const body = JSON.stringify({ error: first, problems: { name: first, amount: texts[12] } })
  await page.route(/\/transactions$/, (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 400, contentType: 'application/json', body })
      : route.fallback(),
  )
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(first)
  await dialog.getByLabel('Amount').fill('1')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('console.error').first().waitFor()
  expect(await foreignOf(page)).toEqual([])
}
