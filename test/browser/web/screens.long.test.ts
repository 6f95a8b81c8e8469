import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { clientOf } from '@coffer/test/harness/person.ts'
import { expect, test } from '@jest/globals'
import { axeFaults, takePicture, useBrowser } from '../browser.ts'
import { createHousehold } from './household.ts'
import { screensOf, visit } from './screens.ts'

const { viewBypassed } = useBrowser()

const coffer = started(() => startCoffer())

test('every screen is accessible on a phone in dark colours', async () => {
  const alice = await coffer.person()
  const screens = screensOf(await createHousehold(alice))
  const viewing = { url: `${coffer.baseUrl}/login`, cookie: alice.cookie }
  await viewBypassed({ ...viewing, scheme: 'dark', width: 360 }, async (page) => {
    for (const { path, heading } of screens) {
      const shown = await visit(page, { ...coffer, path, heading })
      await takePicture(page, `${shown}-phone`)
      expect([path, await axeFaults(page)]).toEqual([path, []])
    }
  })
})

test('every screen of an empty bank account is accessible', async () => {
  const bob = await coffer.person()
  await bob.createBankAccount(0)
  await viewBypassed({ url: `${coffer.baseUrl}/login`, cookie: bob.cookie }, async (page) => {
    for (const { path, heading } of screensOf(null)) {
      const shown = await visit(page, { ...coffer, path, heading })
      await takePicture(page, `${shown}-empty`)
      expect([path, await axeFaults(page)]).toEqual([path, []])
    }
  })
})

test('markup in every text shows as text', async () => {
  const mallory = await coffer.person()
  const household = await createHousehold(mallory)
  const { client } = mallory
  const { bank, fundingScheduleId, spendingId, transactionId } = household
  const text = `"><img src=x onerror="console.error('run')">`
  const body = { name: text }
  await client.updateBankAccount({ ...bank, body })
  await client.updateFundingSchedule({ path: { ...bank.path, fundingScheduleId }, body })
  await client.updateSpending({ path: { ...bank.path, spendingId }, body })
  const written = { ...body, notes: text, tags: [text.slice(0, 50)] }
  await client.updateTransaction({ path: { ...bank.path, transactionId }, body: written })
  await client.createLink({ body: { institutionName: text, description: text } })
  const conditions = { originalName: { kind: 'contains', text } } as const
  await client.createRule({ body: { ...body, conditions, actions: { ...body, notes: text } } })
  const session = clientOf(coffer.baseUrl, { session: mallory.cookie })
  await session.updateMe({ body: { firstName: text, lastName: text } })
  const viewing = { url: `${coffer.baseUrl}/login`, cookie: mallory.cookie }
  // A script that ran would log an error, with which the view fails.
  await viewBypassed(viewing, async (page) => {
    for (const { path, heading } of screensOf(household)) {
      await visit(page, { ...coffer, path, heading: heading === 'Groceries' ? text : heading })
      expect([path, await page.locator('img').count()]).toEqual([path, 0])
    }
  })
})
