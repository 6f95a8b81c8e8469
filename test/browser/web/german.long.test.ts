import { readFileSync } from 'node:fs'
import { started } from '@coffer/host/testing/started'
import { startCoffer } from '@coffer/test/harness/coffer.ts'
import { clientOf } from '@coffer/test/harness/person.ts'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { axeFaults, overflowOf, takePicture, useBrowser, waitForAnswers } from '../browser.ts'
import { createHousehold } from './household.ts'
import { screensOf } from './screens.ts'

const { view, viewBypassed } = useBrowser()

const coffer = started(() => startCoffer())

/** Screens with the buttons that open a dialog over them. */
const dialogs = [
  ['/envelopes', 'Neuer Umschlag'],
  ['/schedules', 'Neuer Zahltag'],
  ['/envelopes', 'Geld umbuchen'],
  ['/transactions', 'Hinzufügen'],
  ['/rules', 'Neue Regel'],
  ['/webhooks', 'Webhook hinzufügen'],
]

/** Expects that a screen in German has no fault by axe and fits a phone. */
async function expectFitting(page: Page, name: string): Promise<void> {
  await waitForAnswers(page)
  expect([name, await page.evaluate('document.documentElement.lang')]).toEqual([name, 'de'])
  await page.setViewportSize({ width: 390, height: 844 })
  await takePicture(page, `german-${name}`)
  expect([name, await overflowOf(page)]).toEqual([name, 0])
  expect([name, await axeFaults(page, 'texts')]).toEqual([name, []])
}

async function register(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1, name: 'Zugang anlegen' }).waitFor()
  await page.getByLabel('Vorname').fill('Jürgen')
  await page.getByLabel('E-Mail-Adresse').fill('juergen@example.com')
  await page.getByLabel('Passwort', { exact: true }).fill('ein langes Passwort')
  await page.getByRole('button', { name: 'Zugang anlegen' }).click()
}

/** Creates a bank account, a payday and an envelope. */
async function plan(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1, name: 'Dein erstes Konto' }).waitFor()
  await page.getByLabel('Bank', { exact: true }).fill('Sparkasse')
  await page.getByLabel('Währung').selectOption({ label: 'EUR – Euro' })
  await page.getByLabel('Aktueller Kontostand').fill('1.000,00+250,50')
  await page.getByRole('button', { name: 'Konto anlegen' }).click()
  await page.getByRole('heading', { name: 'Wann kommt Geld herein?' }).waitFor()
  await page.getByLabel('Wiederholung').selectOption('monthly')
  await page.getByLabel('Erwartetes Einkommen').fill('2.400,00')
  await page.getByRole('button', { name: 'Speichern' }).click()
  await page.getByRole('heading', { name: 'Deine ersten Umschläge' }).waitFor()
  await page.getByText('Für viele Einkäufe: Was übrig ist, bleibt im Umschlag.').waitFor()
  await page.getByText('Ein Betrag darf eine Summe sein, etwa 12,50+3.').waitFor()
  await takePicture(page, 'german-wizard')
  for (const other of ['Lebensmittel', 'Strom']) await page.getByLabel(other).uncheck()
  await page.getByText('Eine Rechnung: Was 5 Tage danach übrig ist, wird frei verfügbar.').waitFor()
  await page.getByLabel('Benötigter Betrag').fill('800')
  await page.getByRole('button', { name: 'Einen Umschlag anlegen' }).click()
  await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor()
}

test('a person budgets in German, from the first bank account to the forecast', async () => {
  const viewing = { url: `${coffer.baseUrl}/register`, locale: 'de-DE' }
  await view(viewing, async (page) => {
    await register(page)
    await plan(page)
    await page.getByText('1.250,50 €').first().waitFor()
    await page.getByRole('link', { name: 'Umschläge' }).first().click()
    await page.getByRole('button', { name: 'Geld umbuchen' }).click()
    await page.getByLabel('Betrag').fill('100,50+20')
    await page.getByRole('button', { name: 'Umbuchen', exact: true }).click()
    await page.getByText('120,50 € umgebucht von Frei verfügbar nach Miete.').waitFor()
    await page.getByRole('link', { name: 'Buchungen' }).first().click()
    await page.getByRole('button', { name: 'Hinzufügen' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Vermieter')
    await page.getByRole('dialog').getByLabel('Betrag').fill('70')
    await page.getByRole('button', { name: 'Speichern' }).click()
    await page.getByLabel('Umschlag für Vermieter').selectOption('Miete')
    await page.getByRole('link', { name: 'Umschläge' }).first().click()
    await page.getByRole('link', { name: 'Miete' }).click()
    await page
      .getByText(/legt .*€ dazu/)
      .first()
      .waitFor()
    await page.getByText('50,50 €').first().waitFor()
    await page.getByRole('link', { name: 'Prognose' }).first().click()
    await page.getByText(/^Tiefpunkt: .*€ am /).waitFor()
    await page.goto(`${coffer.baseUrl}/accounts`)
    await page.getByRole('button', { name: '„Girokonto“ archivieren' }).waitFor()
    await page.getByRole('button', { name: '„Girokonto“ bearbeiten' }).click()
    await page.getByRole('dialog').waitFor()
  })
})

test('the file of transactions has commas, and is imported again without a question', async () => {
  const carol = await coffer.person()
  const { bank } = await carol.createBankAccount(0)
  const other = await carol.createBankAccount(0)
  const date = '2026-10-30T12:00:00Z'
  // None leaves the account, from which the direction of amounts could be guessed.
  const transactions = [
    { name: 'Lohn', amount: -240_050, date, notes: 'Oktober, mit Zulage' },
    { name: 'Zinsen; Bonus', amount: -99, date },
  ]
  await carol.client.createTransactions({ ...bank, body: { transactions } })
  const url = `${coffer.baseUrl}/transactions?account=${bank.path.bankAccountId}`
  await view({ url, cookie: carol.cookie, locale: 'de-DE' }, async (page) => {
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Als CSV herunterladen' }).click()
    const buffer = readFileSync(await (await downloading).path())
    expect(buffer.toString()).toContain(';Lohn;;2400,50;USD;')
    await page.goto(`${coffer.baseUrl}/imports?account=${other.id}`)
    const file = { name: 'buchungen.csv', mimeType: 'text/csv', buffer }
    await page.getByLabel('Datei auswählen').setInputFiles(file)
    await page.getByRole('button', { name: 'Vorschau zeigen' }).click()
    await page.getByRole('button', { name: /^2 Buchungen/ }).click()
    await page.getByRole('heading', { name: 'Gespeichert', exact: true }).waitFor()
  })
  const stored = (await carol.client.listTransactions(other.bank)).data
  expect(stored.map(({ name, amount }) => [name, amount]).toSorted()).toEqual([
    ['Lohn', -240_050],
    ['Zinsen; Bonus', -99],
  ])
})

test.each([
  ['Es ist eines der häufigsten Passwörter.', true],
  ['Der Server meldet: Is one of the most common passwords.', false],
])('a refusal is said in German, else as the server says it: %s', async (text, isLoaded) => {
  const url = `${coffer.baseUrl}/register`
  await view({ url, locale: 'de-DE', hasRefusals: true, hasOutage: !isLoaded }, async (page) => {
    if (!isLoaded) await page.route('**/refusals-*.js', (route) => route.abort())
    await page.getByLabel('Vorname').fill('Jürgen')
    await page.getByLabel('E-Mail-Adresse').fill('juergen.2@example.com')
    await page.getByLabel('Passwort', { exact: true }).fill('password123')
    await page.getByRole('button', { name: 'Zugang anlegen' }).click()
    await page.getByText(text).first().waitFor()
  })
})

test('every screen in German is accessible and fits a phone', async () => {
  const alice = await coffer.person()
  const screens = screensOf(await createHousehold(alice))
  const session = clientOf(coffer.baseUrl, { session: alice.cookie })
  await session.updateMe({ body: { locale: 'de-DE' } })
  const viewing = { url: coffer.baseUrl, cookie: alice.cookie, locale: 'de-DE' }
  await viewBypassed(viewing, async (page) => {
    for (const { path } of screens) {
      await page.goto(`${coffer.baseUrl}${path}`)
      await page.locator('h1').waitFor()
      await expectFitting(page, path.replace(/_.*/, '').replaceAll('/', '-'))
    }
    for (const [path = '', opener = ''] of dialogs) {
      await page.goto(`${coffer.baseUrl}${path}`)
      await page.getByRole('button', { name: opener }).first().click()
      await page.getByRole('dialog').waitFor()
      await expectFitting(page, `-dialog-${opener}`)
    }
    await page.context().clearCookies()
    for (const path of ['/login', '/register']) {
      await page.goto(`${coffer.baseUrl}${path}`)
      await page.locator('h1').waitFor()
      await expectFitting(page, path.replace('/', '-'))
    }
  })
})

test('the language is that of the browser, or chosen by the person', async () => {
  const bob = await coffer.person()
  const viewing = { url: `${coffer.baseUrl}/login`, locale: 'de-DE', cookie: bob.cookie }
  await view(viewing, async (page) => {
    await page.getByRole('heading', { level: 1, name: 'Anmelden' }).waitFor()
    await page.getByRole('button', { name: 'English' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    const scripts: string[] = []
    page.on('request', (request) => scripts.push(new URL(request.url()).pathname))
    await page.goto(`${coffer.baseUrl}/settings`)
    await page.getByLabel('Language of the app').selectOption('As the browser')
    expect(scripts.filter((path) => /\/(en|de)-/.test(path))).toHaveLength(1)
    await page.getByRole('button', { name: 'Choose the language' }).click()
    await page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor()
  })
})
