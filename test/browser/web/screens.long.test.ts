import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
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
