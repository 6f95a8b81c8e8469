import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { expect, test } from '@jest/globals'
import { useBrowser } from '../browser.ts'
import { createHousehold } from '../web/household.ts'

const { view } = useBrowser()

const coffer = started(() => startCoffer())
const site = started(startSite)

/** Starts a site of another origin, which shows the address behind `?` in a frame. */
async function startSite() {
  const server = createServer(({ url = '' }, response) => {
    const shown = decodeURIComponent(url.split('?')[1] ?? '')
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html><title>Site</title><iframe src="${shown}"></iframe>`)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

test('a page of another site shows nothing of the app in a frame', async () => {
  const alice = await coffer.person()
  await createHousehold(alice)
  const url = `${coffer.baseUrl}/icon.svg`
  const viewing = {
    url,
    cookie: alice.cookie,
    origins: [site.url.slice(0, -1)],
    isFramed: true,
    hasRefusals: true,
  }
  await view(viewing, async (page) => {
    for (const path of ['', 'settings', 'links/connect', 'password/forgot', 'api/users/me']) {
      await page.goto(`${site.url}?${encodeURIComponent(`${coffer.baseUrl}/${path}`)}`)
      await page.waitForLoadState()
      const framed = page.frames().filter((frame) => frame !== page.mainFrame())
      expect([path, framed.map((frame) => frame.url())]).toEqual([
        path,
        ['chrome-error://chromewebdata/'],
      ])
    }
  })
})
