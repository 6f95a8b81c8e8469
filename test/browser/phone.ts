import { type BrowserContextOptions, devices, type Page } from 'playwright-core'

/** A phone of the middle class, as lighthouse's mobile profile has it. */
export const phone: BrowserContextOptions = { ...devices['Pixel 5'], locale: 'en-US' }

const bytesPerSecond = 20_000_000 / 8

/** Slows a page down: a line of 20 Mbit/s and 40 ms, a quarter of the CPU's speed. */
export async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 40,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  })
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
}
