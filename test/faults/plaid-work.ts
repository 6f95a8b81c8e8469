import { eventually } from '@coffer/host/testing/boot'
import { expect } from '@jest/globals'
import type pg from 'pg'
import type { Answer, Json, Person } from '../harness/person.ts'
import { daysAgo } from '../mesh/feed-world.ts'
import { linkAggregator } from '../providers/linked-aggregator.ts'
import type { PlaidItem } from '../providers/plaid/item.ts'
import type { Plaid } from '../providers/plaid/plaid.ts'
import type { PlaidWebhook } from '../providers/plaid/webhooks.ts'
import { seed } from '../seed.ts'
import { editAccount, untilRow } from './edited-account.ts'
import type { Work } from './held-points.ts'
import { holdPlaid } from './plaid-hold.ts'
import { expectLedger, expectNothingLost } from './plaid-ledger.ts'

/** Work of aggregator-sync for one link. */
export interface PlaidWork extends Work {
  item: PlaidItem
  /** Null until the link is created. */
  linkId: string | null
  /** Texts in the calls of the ledger and in statements: of the link, and of a bank account. */
  linkText: string
  accountText: string
  /** Checks the ledger and the cursor, and changes the bank; the process was killed. */
  whileDown: () => Promise<void>
  /** Waits until the work has ended, and checks its result. */
  expectDone: () => Promise<void>
}

/** The simulated Plaid, a connection to the database, and the user of the links. */
export interface PlaidPlace {
  plaid: Plaid
  reader: pg.Pool
  person: Person
  /** Lets two minutes pass, and runs the schedule that finishes links. */
  finishLinks: () => Promise<void>
}

const asSession = true

/** A link with two bank accounts, whose first sync has ended. */
interface Linked {
  linkId: string
  item: PlaidItem
  path: string
  bankAccountId: string
  accountIds: [string, string]
}

export async function linkAndSync(place: PlaidPlace): Promise<Linked> {
  const { plaid, person } = place
  const { linkId, item } = await linkAggregator(person, plaid)
  const accountIds = item.accounts().map(({ account_id }) => account_id) as [string, string]
  const bank = item.bank(accountIds[0])
  bank.post({ id: `${linkId}-paid`, date: daysAgo(5), amount: '10.00', name: 'Rent' })
  bank.post({ id: `${linkId}-wrong`, date: daysAgo(5), amount: '7.00', name: 'Mistake' })
  bank.pend({ id: `${linkId}-cafe`, date: daysAgo(5), amount: '4.50', name: 'Cafe Roma' })
  await announceAndSync(place, { linkId, item })
  const accounts: Json[] = await person.get(`/bank_accounts?link_id=${linkId}`)
  const { bankAccountId } = accounts.find(({ name }) => name === 'Plaid Checking')
  return { linkId, item, path: `/bank_accounts/${bankAccountId}`, bankAccountId, accountIds }
}

/** Sends a webhook about new transactions, and waits until the sync that it requests has ended. */
export async function announceAndSync(
  { plaid, reader }: Pick<PlaidPlace, 'plaid' | 'reader'>,
  { linkId, item }: { linkId: string; item: PlaidItem },
): Promise<Json> {
  const since = new Date()
  // Plaid repeats webhooks that are refused, such as with 424 while a key cannot be read.
  const announce = () => plaid.webhooks.send(plaid.webhooks.create(item, 'SYNC_UPDATES_AVAILABLE'))
  await eventually(announce, (status) => status === 200)
  const text = 'SELECT * FROM aggregator_sync.aggregator_links WHERE link_id = $1'
  return untilRow(reader, { text, values: [linkId] }, (row) => {
    if (!row || row.requested_at || row.sync_run_id) return false
    return row.fault_code !== null || row.last_successful_update > since
  })
}

/** Lets the bank post, correct, remove and add transactions of a link with edits of its user. */
function changeBank({ item, linkId, accountIds: [checking, saving] }: Linked): void {
  const bank = item.bank(checking)
  bank.settle(`${linkId}-cafe`, { id: `${linkId}-posted`, date: daysAgo(3) })
  bank.change(`${linkId}-paid`, { amount: '11.00', description: 'CARD RENT CORRECTED' })
  bank.remove(`${linkId}-wrong`)
  for (let index = 1; index <= 4; index += 1) {
    const id = `${linkId}-shop-${index}`
    bank.post({ id, date: daysAgo(index), amount: `${index}.25`, name: `Shop ${index}` })
  }
  item.bank(saving).post({ date: daysAgo(2), amount: '-3.00', name: 'Interest' })
  bank.setBalances({ available: '77.25', current: '77.25' })
  item.pageMax = 4
  item.reorder(seed)
}

/** A sync of a link, requested by its user or announced by a webhook. */
export async function prepareSync(
  place: PlaidPlace,
  by: 'user' | 'webhook' = 'user',
): Promise<PlaidWork> {
  const { plaid, reader, person } = place
  const linked = await linkAndSync(place)
  const { linkId, item, path, bankAccountId, accountIds } = linked
  const expectEdits = await editAccount(person, path)
  changeBank(linked)
  let webhook: PlaidWebhook | null = null
  const link = { linkId, item, accountIds, accountId: person.accountId }
  return {
    item,
    linkId,
    linkText: linkId,
    accountText: bankAccountId,
    holdAnswer: (of, how) => holdPlaid(plaid, { item, path: of, ...how }),
    begin: async () => {
      if (by === 'user') {
        const options = { asSession, body: { linkId } }
        const { status } = await person.call('POST', '/aggregator/link/sync', options)
        expect(status).toBe(202)
      } else {
        plaid.webhooks.keys.rotate()
        webhook = plaid.webhooks.create(item, 'SYNC_UPDATES_AVAILABLE')
        plaid.webhooks.send(webhook).catch(() => null)
      }
    },
    whileDown: async () => {
      await expectNothingLost(reader, link)
      const bank = item.bank(accountIds[0])
      bank.remove(`${linkId}-shop-1`)
      bank.change(`${linkId}-shop-2`, { amount: '2.75' })
      bank.post({ date: daysAgo(1), amount: '9.75', name: 'Late' })
    },
    expectDone: async () => {
      // Plaid repeats a webhook without an answer, and one that a busy server answers with 504.
      const isAccepted = (answer: number) => answer === 200 || answer === 401
      const sent = webhook
      if (sent) await eventually(() => plaid.webhooks.send(sent), isAccepted)
      const { status, failures_in_row, fault_code } = await announceAndSync(place, link)
      expect([status, failures_in_row, fault_code]).toEqual(['setup', 0, null])
      await expectLedger(reader, link)
      await expectEdits()
    },
  }
}

/**
 * The update of a link whose institution asks its user to sign in again; the user also chooses a
 * bank account that is new.
 */
export async function prepareUpdate(place: PlaidPlace): Promise<PlaidWork> {
  const { plaid, reader, person, finishLinks } = place
  const linked = await linkAndSync(place)
  const { linkId, item, path, accountIds } = linked
  const expectEdits = await editAccount(person, path)
  changeBank(linked)
  item.error = { code: 'ITEM_LOGIN_REQUIRED', isRefused: true }
  await announceAndSync(place, { linkId, item })
  const added = item.addAccount({ name: 'Plaid CD', mask: '2222', subtype: 'cd' })
  item.bank(added).post({ date: daysAgo(1), amount: '-2.25', name: 'Interest' })
  const all = [...accountIds, added]
  const link = { linkId, item, accountIds: all, accountId: person.accountId }
  const act = async () => {
    const tokenPath = `/aggregator/link/update/${linkId}?update_account_selection=true`
    const token = await person.call('PUT', tokenPath, { asSession: true })
    const { publicToken } = plaid.completeLink(token.body.linkToken)
    const body = { linkId, publicToken, accountIds: all }
    return person.call('POST', '/aggregator/link/update/callback', { asSession, body })
  }
  const query = {
    text: 'SELECT * FROM aggregator_sync.aggregator_links WHERE link_id = $1',
    values: [linkId],
  }
  const countAccounts = async () => (await person.get(`/bank_accounts?link_id=${linkId}`)).length
  let isStored = false
  return {
    item,
    linkId,
    linkText: linkId,
    accountText: added,
    holdAnswer: (of, how) => holdPlaid(plaid, { item, path: of, ...how }),
    begin: async () => void act().catch(() => null),
    whileDown: async () => {
      const { rows } = await reader.query(query)
      isStored = rows[0].chosen_accounts.length > 0
    },
    expectDone: async () => {
      await finishLinks()
      await untilRow(reader, query, (row) => row?.chosen_accounts.length === 0)
      if (isStored) expect(await countAccounts()).toBe(3)
      // A user whose callback had no answer opens Plaid Link again.
      if ((await countAccounts()) < 3) expect((await act()).status).toBe(200)
      expect(await countAccounts()).toBe(3)
      const { status, fault_code, error_code } = await announceAndSync(place, link)
      expect([status, fault_code, error_code]).toEqual(['setup', null, null])
      await expectLedger(reader, link)
      await expectEdits()
    },
  }
}

/** The release of the item of a link that its user deletes. */
export async function prepareRelease(place: PlaidPlace): Promise<PlaidWork> {
  const { plaid, reader, person, finishLinks } = place
  const { linkId, item, bankAccountId } = await linkAndSync(place)
  return {
    item,
    linkId,
    linkText: linkId,
    accountText: bankAccountId,
    holdAnswer: (of, how) => holdPlaid(plaid, { item, path: of, ...how }),
    begin: async () => {
      const { status } = await person.call('DELETE', `/links/${linkId}`)
      expect(status).toBe(200)
    },
    whileDown: async () => undefined,
    expectDone: async () => {
      const values = [linkId]
      const released = `
        SELECT deleted_at, released_at FROM aggregator_sync.aggregator_links WHERE link_id = $1`
      // The connection ends with the deletion; the item is then removed by schedule.
      await untilRow(reader, { text: released, values }, (row) => row?.deleted_at)
      await finishLinks()
      await untilRow(reader, { text: released, values }, (row) => row?.released_at)
      expect(item.isRemoved).toBe(true)
      const tokens = 'SELECT FROM aggregator_sync.aggregator_tokens WHERE link_id = $1'
      expect((await reader.query(tokens, values)).rowCount).toBe(0)
      const cleaned = 'SELECT cleaned_at FROM ledger.links WHERE link_id = $1'
      await untilRow(reader, { text: cleaned, values }, (row) => row?.cleaned_at)
      const left = 'SELECT FROM ledger.transactions WHERE bank_account_id = $1'
      expect((await reader.query(left, [bankAccountId])).rowCount).toBe(0)
    },
  }
}

/** The creation of a link. `isLost`: Plaid's answer to the exchange of the token is lost. */
export async function prepareSetUp(place: PlaidPlace, isLost: boolean): Promise<PlaidWork> {
  const { plaid, reader, person, finishLinks } = place
  const token = await person.call('GET', '/aggregator/token/new', { asSession })
  const { publicToken, item } = plaid.completeLink(token.body.linkToken)
  const institutionName = `Bank ${item.itemId}`
  const accountIds = item.accounts().map(({ account_id }) => account_id) as [string, string]
  item.bank(accountIds[0]).post({ date: daysAgo(1), amount: '1.25', name: 'Bakery' })
  const body = { publicToken, accountIds, institutionName, institutionId: item.institutionId }
  const expectLinks = (count: number) => expectLinkCount(person, institutionName, count)
  return {
    item,
    linkId: null,
    linkText: institutionName,
    accountText: accountIds[0],
    holdAnswer: (of, how) => holdPlaid(plaid, { item, publicToken, path: of, ...how }),
    begin: async () => {
      const path = '/aggregator/token/callback'
      person.call('POST', path, { asSession, body }).catch((): Answer | null => null)
    },
    whileDown: async () => undefined,
    expectDone: async () => {
      const text = `
        SELECT * FROM aggregator_sync.aggregator_links WHERE institution_name = $1`
      const query = { text, values: [institutionName] }
      await finishLinks()
      const row = await untilRow(reader, query, (one) => one && one.status !== 'creating')
      expect((await reader.query(query)).rowCount).toBe(1)
      if (isLost) {
        // Plaid exchanges a token once, and has no list of items: this one cannot be removed.
        expect([row.status, item.isRemoved]).toEqual(['deactivated', false])
        return expectLinks(0)
      }
      expect([row.status, row.item_id, item.isRemoved]).toEqual(['pending', item.itemId, false])
      await expectLinks(1)
      const link = { linkId: row.link_id, item, accountIds, accountId: person.accountId }
      await announceAndSync(place, link)
      await expectLedger(reader, link)
    },
  }
}

async function expectLinkCount(person: Person, name: string, count: number): Promise<void> {
  const links: Json[] = await person.get('/links')
  const own = links.filter(({ institutionName }) => institutionName === name)
  expect(own).toHaveLength(count)
  for (const { linkId } of own) {
    expect(await person.get(`/bank_accounts?link_id=${linkId}`)).toHaveLength(2)
  }
}
