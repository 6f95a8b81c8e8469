import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import type { Person } from '@coffer/test/harness/person.ts'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { axeFaults, expectLooks, takePicture, useBrowser } from '../browser.ts'
import { createHousehold } from './household.ts'

const { viewBypassed } = useBrowser()

const coffer = started(() => startCoffer())

const shops = ['LIDL', 'DEUTSCHE BAHN', 'NETFLIX', 'EDEKA', 'PENNY MARKT']

/** Names of the suggested rules that are accepted. */
const accepted = ['Deutsche Bahn', 'Netflix', 'Edeka']

/** A statement of a month with three payments to each shop, whose texts differ in digits. */
function statementOf(month: number) {
  const rows = shops.flatMap((shop, at) =>
    [3, 10, 17].map((day) => {
      const date = `2026${String(month).padStart(2, '0')}${String(day + at).padStart(2, '0')}`
      const text = `<NAME>${shop} ${month}${day}4711 BERLIN`
      return `<STMTTRN><DTPOSTED>${date}<TRNAMT>-${day + at}.50<FITID>${date}${at}${text}</STMTTRN>`
    }),
  )
  const head = 'OFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102\r\nENCODING:USASCII\r\nCHARSET:1252'
  const list = `<CURDEF>USD<BANKTRANLIST>${rows.join('')}</BANKTRANLIST>`
  const response = `<STMTTRNRS><STMTRS>${list}</STMTRS></STMTTRNRS>`
  const text = `${head}\r\n\r\n<OFX><BANKMSGSRSV1>${response}</BANKMSGSRSV1></OFX>`
  return { name: `month-${month}.ofx`, mimeType: 'application/x-ofx', buffer: Buffer.from(text) }
}

async function importMonth(page: Page, month: number): Promise<void> {
  await page.getByRole('link', { name: 'Imports' }).first().click()
  await page.getByLabel('Choose a file').setInputFiles(statementOf(month))
  await page.getByRole('button', { name: /^Import \d/ }).click()
  const row = page.getByRole('listitem').filter({ hasText: `month-${month}.ofx` })
  await row.getByText('Done').waitFor()
}

/** Returns the transactions of a month as `name, tags, envelope`. */
async function sortedRows(person: Person, { bank }: { bank: object }, month: number) {
  const query = { from: `2026-0${month}-01`, to: `2026-0${month}-28`, limit: 100 }
  const { data } = await person.client.listTransactions({ ...(bank as Bank), query })
  return data
    .map(({ name, tags = [], spendingId }) =>
      [name, tags.join(), spendingId ? 'paid' : ''].join(' '),
    )
    .sort()
}

/** Applies all rules to stored transactions, and undoes that; `first` reads the first row. */
async function applyAndUndo(page: Page, first: () => Promise<string | undefined>): Promise<void> {
  const raw = await first()
  const dialog = page.getByRole('dialog')
  await page.getByRole('link', { name: 'Rules' }).first().click()
  await page.getByRole('button', { name: 'Apply the rules' }).click()
  await dialog.getByText('24 of 31 transactions fit. 12 would change.').waitFor()
  await dialog.getByLabel('From', { exact: true }).fill('2026-02-01')
  await dialog.getByText(/^12 of 1[56] transactions fit\. 0 would change/).waitFor()
  await dialog.getByLabel('From', { exact: true }).fill('')
  await dialog.getByText('24 of 31 transactions fit. 12 would change.').waitFor()
  expect(await isPreviewInView(page)).toBe(true)
  await takePicture(page, 'web-rules-apply')
  expect(await axeFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('Applied', { exact: true }).waitFor()
  await page.getByText('24 fit, 12 changed').waitFor()
  expect([raw, await first()]).toEqual(['DEUTSCHE BAHN 1104711 BERLIN  ', 'Deutsche Bahn  paid'])
  await expectLooks(page, 'web-rules-runs')
  await page.getByRole('button', { name: 'Undo' }).click()
  await dialog.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('12 put back').waitFor()
  await page.getByText('Undone', { exact: true }).waitFor()
  expect(await first()).toBe(raw)
}

const paid = (name: string) => `${name}  paid`

/** Returns the row of a payment for which no rule was made. */
const pennyOf = (day: number) => `PENNY MARKT 2${day}4711 BERLIN  `

/** Returns whether the counts of a preview are in view, neither scrolled away nor covered. */
async function isPreviewInView(page: Page): Promise<unknown> {
  return await page.evaluate(`(() => {
    const counts = document.querySelector('[role=dialog] section [role=status]')
    const { left, top, height } = counts.getBoundingClientRect()
    return document.elementFromPoint(left + 1, top + height / 2) === counts
  })()`)
}

/** Makes a rule from a transaction, with a name, an envelope and a tag. */
async function ruleFromTransaction(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog')
  await page.getByRole('link', { name: 'Transactions' }).first().click()
  await page.getByRole('link', { name: /^LIDL/ }).first().click()
  await page.getByRole('link', { name: 'Make a rule from this transaction' }).click()
  await dialog.getByLabel('Name', { exact: true }).fill('lidl')
  await dialog.getByLabel('Envelope that pays').selectOption('Groceries')
  await dialog.getByLabel('Tags').fill('LID')
  await dialog.getByLabel('Tags').press('Enter')
  await dialog.getByText('3 of 16 transactions fit.').waitFor()
  await dialog.getByText('→ lidl').first().waitFor()
  expect(await isPreviewInView(page)).toBe(true)
  await expectLooks(page, 'web-rules-form')
  const save = dialog.getByRole('button', { name: 'Save' })
  await save.scrollIntoViewIfNeeded()
  await takePicture(page, 'web-rules-form-preview')
  await save.click()
  await page
    .getByRole('list', { name: /^Rules/ })
    .getByText('lidl')
    .first()
    .waitFor()
}

/** Accepts three suggestions with an envelope, and dismisses another one. */
async function answerSuggestions(page: Page): Promise<void> {
  const list = page.getByRole('list', { name: 'Suggested rules' })
  for (const name of accepted) {
    const make = page.getByRole('button', { name: `Make the rule: ${name}` })
    const item = list.getByRole('listitem').filter({ has: make })
    await item.getByLabel(`Envelope for ${name}`).selectOption('Groceries')
    if (name === 'Netflix') {
      await item.getByRole('button', { name: `Preview: ${name}` }).click()
      await item.getByText('3 of 16 transactions fit.').waitFor()
      await expectLooks(page, 'web-rules-suggested')
    }
    await make.click()
    await list.getByText(name, { exact: true }).waitFor({ state: 'detached' })
  }
  await list.getByRole('button', { name: /^Dismiss: Penny/ }).click()
  await list.waitFor({ state: 'detached' })
}

type Bank = Awaited<ReturnType<typeof createHousehold>>['bank']

test('rules that are made from transactions sort the file of the next month', async () => {
  const alice = await coffer.person()
  const household = await createHousehold(alice)
  await viewBypassed({ url: `${coffer.baseUrl}/rules`, cookie: alice.cookie }, async (page) => {
    await page.getByText('No rules yet.').waitFor()
    await expectLooks(page, 'web-rules-empty')
    await importMonth(page, 1)
    await ruleFromTransaction(page)
    await answerSuggestions(page)
    await expectLooks(page, 'web-rules-list')
    await importMonth(page, 2)
    expect(await sortedRows(alice, household, 2)).toEqual(
      [3, 10, 17].flatMap((day) => ['lidl LID paid', pennyOf(day), ...accepted.map(paid)]).sort(),
    )
    await page.getByRole('link', { name: 'Transactions' }).first().click()
    await page.getByRole('link', { name: 'lidl', exact: true }).first().click()
    await page.getByText('Rule “lidl”').first().waitFor()
    await expectLooks(page, 'web-rules-who')
    await applyAndUndo(page, async () => (await sortedRows(alice, household, 1))[0])
  })
})

test('the keyboard alone makes a rule, moves it and deletes one; dragging moves too', async () => {
  const bob = await coffer.person()
  await createHousehold(bob)
  for (const name of ['First', 'Second']) {
    const conditions = { direction: 'in', amountFrom: 100, dayFrom: 28, dayTo: 3 } as const
    await bob.client.createRule({
      body: { name, conditions, actions: { notes: `${name}\nagain` } },
    })
  }
  const order = async () => (await bob.client.listRules()).data.rules.map(({ name }) => name)
  await viewBypassed({ url: `${coffer.baseUrl}/`, cookie: bob.cookie }, async (page) => {
    const { keyboard } = page
    const press = async (keys: string) => {
      for (const key of keys.split(' ')) await keyboard.press(key)
    }
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await press('g r')
    await page.getByText('First', { exact: true }).waitFor()
    await press('Tab Tab Enter')
    await page.getByRole('dialog').getByLabel('Name at the bank', { exact: true }).waitFor()
    await press('Tab Tab Tab')
    await keyboard.type('gym')
    await press('Tab Tab Tab Tab')
    await keyboard.type('Gym')
    await press('Tab Tab')
    await keyboard.type('health')
    await press('Enter Enter')
    await page.getByRole('status').getByText('The rule sorts').waitFor()
    await page.getByRole('button', { name: 'Apply to stored ones too' }).press('Enter')
    await page.getByText('Rule “Gym”').waitFor()
    await page.getByText('0 fit, 0 changed').waitFor()
    expect(await order()).toEqual(['First', 'Second', 'Gym'])
    const up = page.getByRole('button', { name: 'Move Gym up' })
    await up.press('Enter')
    await page.getByText('Gym is now 2 of 3.').waitFor()
    await up.and(page.locator(':focus:not([aria-busy])')).waitFor()
    await press('Enter')
    await page.getByText('Gym is now 1 of 3.').waitFor()
    expect(await order()).toEqual(['Gym', 'First', 'Second'])
    const list = page.getByRole('list', { name: /^Rules/ })
    const row = (name: string) => list.getByRole('listitem').filter({ hasText: name })
    await row('Second').dragTo(row('Gym'))
    await page.getByText('Second is now 1 of 3.').waitFor()
    await page.getByRole('button', { name: 'Edit First' }).press('Enter')
    await page.getByRole('dialog').getByLabel('Amount from').waitFor()
    expect(await page.getByRole('dialog').getByLabel('Note').inputValue()).toBe('First\nagain')
    await expectLooks(page, 'web-rules-edit')
    await press('Escape')
    await page.getByRole('button', { name: 'Delete First' }).press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter')
    await page.getByText('First', { exact: true }).waitFor({ state: 'detached' })
    expect(await order()).toEqual(['Second', 'Gym'])
  })
})
