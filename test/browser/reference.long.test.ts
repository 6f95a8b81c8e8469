import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import type { Person } from '@coffer/test/harness/person.ts'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Page, Request } from 'playwright-core'
import { overflowOf, useBrowser, type Viewing } from './browser.ts'

/** Bounds until the operations show: bytes of bodies and headers as sent, and requests. */
const bytesMax = 250_000
const requestsMax = 12

const { view, expectAccessible } = useBrowser()
let alice: Person

const coffer = started(() => startCoffer())

beforeAll(async () => {
  alice = await coffer.person()
})

/** Returns the viewing of the reference page; `hash` names an operation. */
function reference(hash = '', choices: Partial<Viewing> = {}): Viewing {
  return { url: `${coffer.baseUrl}/api/reference${hash}`, ...choices }
}

/** Returns the content of an operation once it has been loaded. */
async function contentOf(page: Page, id: string) {
  const content = page.locator(`#${id} article.active`)
  await content.waitFor()
  return content
}

async function authorize(page: Page): Promise<void> {
  const [id = '', secret = ''] = atob(alice.authorization.slice('Basic '.length)).split(':')
  await page.getByRole('button', { name: 'Authorize' }).click()
  const dialog = page.getByRole('dialog', { name: 'Authorize' })
  await dialog.getByLabel('Key ID').fill(id)
  await dialog.getByLabel('Secret').fill(secret)
  await dialog.getByRole('button', { name: 'Use this key' }).click()
}

test('every operation shows after at most 250 kB and 12 requests, money first', async () => {
  const { paths } = await alice.get('/openapi.json')
  const operations = Object.values(paths).flatMap((one) => Object.keys(one as object))
  const requests: Request[] = []
  await view(reference(), async (page) => {
    page.on('requestfinished', (request) => requests.push(request))
    await page.reload({ waitUntil: 'networkidle' })
    expect(await page.locator('details.operation').count()).toBe(operations.length)
    const sizes = await Promise.all(requests.map((request) => request.sizes()))
    const bytes = sizes.map((one) => one.responseBodySize + one.responseHeadersSize)
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(bytesMax)
    expect(requests.length).toBeLessThanOrEqual(requestsMax)
    const tags = await page.locator('main h2').allTextContents()
    const money = ['Links', 'Bank accounts', 'Transactions', 'Spending']
    expect(tags.slice(0, 4)).toEqual(money)
    expect(tags.indexOf('Billing')).toBeGreaterThan(3)
  })
})

test('the filter finds words of summary, description and operation ID', async () => {
  await view(reference(), async (page) => {
    const filter = page.getByRole('searchbox', { name: 'Filter' })
    const shown = page.locator('details.operation:not([hidden])')
    const idsFor = async (words: string) => {
      await filter.fill(words)
      return await shown.evaluateAll((all) => all.map(({ id }) => id))
    }
    expect(await idsFor('starts empty fundings')).toEqual(['createSpending'])
    expect(await idsFor('LISTSPENDINGTRANS')).toEqual(['listSpendingTransactions'])
    expect(await idsFor('no such words')).toEqual([])
    await page.getByText('No operation has these words').waitFor()
    expect(await idsFor('move money')).toContain('transferBetweenEnvelopes')
    await page.locator('#transferBetweenEnvelopes > summary').click()
    await contentOf(page, 'transferBetweenEnvelopes')
    expect(new URL(page.url()).hash).toBe('#transferBetweenEnvelopes')
  })
})

test('by keyboard, a result of the filter is opened and closed again', async () => {
  await view(reference(), async (page) => {
    await page.keyboard.press('/')
    await page.keyboard.type('estimateNextFunding')
    await page.keyboard.press('Enter')
    await contentOf(page, 'estimateNextFunding')
    await page.keyboard.press('Enter')
    expect(await page.locator('#estimateNextFunding').getAttribute('open')).toBeNull()
  })
})

test.each(['#createSpending', '#/Spending/createSpending'])(
  '%s opens an operation with its examples, fields and guides',
  async (hash) => {
    await view(reference(hash), async (page) => {
      const content = await contentOf(page, 'createSpending')
      const body = content.getByRole('textbox', { name: 'Body as JSON' })
      expect(await body.inputValue()).toContain('"Rent"')
      await content.getByLabel('Example').selectOption('goal')
      expect(await body.inputValue()).toContain('"Trip to Oslo"')
      expect(await content.locator('.curl').textContent()).toContain('"Trip to Oslo"')
      await content.getByText('Fields of the body').click()
      await content.getByText('Shape 2: spendingType is always goal').click()
      await content.getByText('Null or not sent: goals do not recur').waitFor()
      const guide = content.getByRole('link', { name: 'plans', exact: true }).first()
      expect(new URL((await guide.getAttribute('href')) ?? '').pathname).toBe(
        '/api/reference/plans',
      )
    })
  },
)

describe('a request', () => {
  test('is sent with a key, and its answer shown; the command has the same request', async () => {
    const { linkId } = await alice.createBankAccount()
    await view(reference('#listLinks'), async (page) => {
      await authorize(page)
      const content = await contentOf(page, 'listLinks')
      await content.getByLabel('limit').fill('10')
      await content.getByRole('button', { name: 'Send' }).click()
      const answer = content.getByRole('region', { name: 'Answer' })
      await answer.getByText('200 OK').waitFor()
      expect(await answer.textContent()).toContain(linkId)
      const curl = await content.locator('.curl').textContent()
      expect(curl).toBe(`curl '${coffer.baseUrl}/api/links?limit=10' \\\n  -u "$KEY"`)
      await content.getByRole('button', { name: 'Copy curl' }).click()
      await content.getByText('Copied').waitFor()
    })
  })

  test('shows problems, sends the body, and begins with the last bank account', async () => {
    const { id, path } = await alice.createBankAccount(50_000)
    await view(reference('#getBalances'), async (page) => {
      await authorize(page)
      const balances = await contentOf(page, 'getBalances')
      await balances.getByLabel('bankAccountId').fill(id)
      await page.locator('#createTransaction > summary').click()
      const creation = await contentOf(page, 'createTransaction')
      expect(await creation.getByLabel('bankAccountId').inputValue()).toBe(id)
      const date = '2026-11-20T06:00:00Z'
      const sent = { name: "Baker's", amount: 1250, date, adjustsBalance: true }
      await creation.getByLabel('Body as JSON').fill(JSON.stringify(sent))
      expect(await creation.locator('.curl').textContent()).toContain(`"Baker'\\''s"`)
      await creation.getByRole('button', { name: 'Send' }).click()
      await creation.getByRole('region', { name: 'Answer' }).getByText('200 OK').waitFor()
    })
    expect(await alice.get(`${path}/balances`)).toMatchObject({ available: 48_750 })
  })

  test('authorization asks for the ID and the secret of a key, and for no cookie', async () => {
    await view(reference(), async (page) => {
      await page.getByRole('button', { name: 'Authorize' }).click()
      const dialog = page.getByRole('dialog')
      expect(await dialog.locator('label').allTextContents()).toEqual([
        expect.stringMatching(/^\s*Key ID\s*$/),
        expect.stringMatching(/^\s*Secret\s*$/),
      ])
      expect(await dialog.textContent()).not.toMatch(/cookie/i)
      await page.keyboard.press('Escape')
    })
  })
})

/** Names of the first typeface of all texts, without those of code. */
const typefaces = `[...new Set([...document.querySelectorAll('body *')]
  .filter((one) => !one.matches('code, pre, textarea, pre *, code *'))
  .map((one) => getComputedStyle(one).fontFamily))]`

test.each([
  ['light', 1280],
  ['dark', 360],
] as const)(
  '%s at %d px: one typeface, no sideways scroll, no fault by axe',
  async (scheme, width) => {
    const look = { scheme, width, picture: `reference-${scheme}` }
    await expectAccessible(reference('#createSpending', look), async (page) => {
      const content = await contentOf(page, 'createSpending')
      await content.getByText('Fields of the body').click()
      await content.getByText('400', { exact: true }).click()
      expect(await overflowOf(page)).toBe(0)
      expect(await page.evaluate(typefaces)).toHaveLength(1)
      await page.getByRole('button', { name: 'Authorize' }).click()
      expect(await overflowOf(page)).toBe(0)
    })
    for (const guide of ['first-ten-minutes', 'limits', 'errors']) {
      await view({ ...look, url: `${coffer.baseUrl}/api/reference/${guide}` }, async (page) => {
        expect([guide, await overflowOf(page)]).toEqual([guide, 0])
      })
    }
  },
)
