import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { expectLooks, useBrowser } from '../browser.ts'

const { viewBypassed } = useBrowser()

const receiver = started(() => startReceiver())
const coffer = started(() => startCoffer({ COFFER_WEBHOOK_ALLOWED_HOSTS: receiver.host }))

/** Starts a program that gets webhooks, and answers by `status`. */
async function startReceiver() {
  const answers = { status: 500, count: 0 }
  const server = createServer((request, response) => {
    answers.count += 1
    request.resume()
    response.writeHead(answers.status).end(answers.status === 500 ? '<b>out of order</b>' : '')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    answers,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The line of a delivery among the deliveries of a webhook. */
const lineOf = (page: Page, text: string) =>
  page
    .getByRole('region', { name: /^Deliveries/ })
    .getByRole('listitem')
    .filter({ hasText: text })

test('a person adds a webhook, sees what came of its requests, and sends one again', async () => {
  const alice = await coffer.person()
  const { bank } = await alice.createBankAccount(100_000)
  const viewing = { url: `${coffer.baseUrl}/settings`, cookie: alice.cookie, hasRefusals: true }
  await viewBypassed(viewing, async (page) => {
    const dialog = page.getByRole('dialog')
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    await page.getByRole('link', { name: 'Manage webhooks' }).click()
    await page.getByText('No webhooks yet.').waitFor()
    await press('Add a webhook')
    await dialog.getByLabel('Address').fill('http://10.0.0.1/')
    await dialog.getByLabel('Changes that are sent').selectOption('only')
    await press('Create it')
    await dialog.getByText('Choose at least one change.').waitFor()
    await dialog.getByLabel('Transaction added').check()
    await expectLooks(page, 'web-webhook-form')
    await press('Create it')
    await dialog.locator('[aria-invalid]').waitFor()
    await dialog.getByLabel('Address').fill(`http://${receiver.host}/hook`)
    await dialog.getByLabel('Description').fill('Sheet')
    await press('Create it')
    await page.getByText('Copy the secret now').waitFor()
    expect(await page.locator('code').textContent()).toMatch(/^whsec_/)
    await expectLooks(page, 'web-webhooks')
    await page.getByRole('link', { name: 'Sheet' }).click()
    await press('Send a test')
    await lineOf(page, 'Test').getByText('answered 500').first().waitFor()
    await lineOf(page, 'Test').getByText('Details').click()
    await lineOf(page, 'Test').getByText('<b>out of order</b>').waitFor()
    await expectLooks(page, 'web-webhook-failing')
    receiver.answers.status = 204
    const payment = { name: 'Florist', amount: 900, date: new Date().toISOString() }
    await alice.client.createTransaction({ ...bank, body: payment })
    await lineOf(page, 'Transaction added').getByText('answered 204').first().waitFor()
    const before = receiver.answers.count
    await page.getByRole('button', { name: /^Send again: Transaction added/ }).click()
    await eventually(
      async () => receiver.answers.count,
      (count) => count > before,
    )
    await press('Send them again')
    await page.getByText('They are sent again, soon.').waitFor()
    await press('New secret')
    await dialog.getByRole('button', { name: 'New secret' }).click()
    await page.getByText('The former secret is valid too').waitFor()
    expect(await page.locator('code').textContent()).toMatch(/^whsec_/)
    await press('End the former one now')
    await page.getByText('The former secret is valid too').waitFor({ state: 'detached' })
    await press('Pause')
    await page.getByText('Paused').waitFor()
    await expectLooks(page, 'web-webhook-paused')
    await press('Switch on')
    await press('Edit')
    await dialog.getByLabel('Changes that are sent').selectOption('all')
    await press('Save')
    await page.getByText('All changes', { exact: true }).waitFor()
    const [webhook] = (await alice.client.listWebhooks()).data.webhooks
    expect([webhook?.isEnabled, webhook?.types, webhook?.description]).toEqual([true, [], 'Sheet'])
    await press('Delete')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No webhooks yet.').waitFor()
    expect((await alice.client.listWebhooks()).data.webhooks).toEqual([])
  })
})
