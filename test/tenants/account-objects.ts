import { readFile } from 'node:fs/promises'
import { eventually } from '@coffer/host/testing/boot'
import type { Person } from '../harness/person.ts'
import type { LunchFlow } from '../providers/lunch-flow.ts'
import type { Ids } from './id-fields.ts'

const ruleset = 'DTSTART:20260115T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15,-1'
const nextRecurrence = `${new Date().getUTCFullYear() + 2}-01-01T06:00:00Z`

/** Creates one object of every kind in the account. Returns their IDs by prefix, such as `txn`. */
export async function createObjects(person: Person, provider: LunchFlow): Promise<Ids> {
  const { linkId, id, path } = await person.createBankAccount()
  const payday = { name: 'Pay', ruleset }
  const { fundingScheduleId } = await person.post(`${path}/funding_schedules`, payday)
  const { spendingId } = await person.post(`${path}/spending`, {
    spendingType: 'goal',
    name: 'Bike',
    targetAmount: 5000,
    fundingScheduleId,
    nextRecurrence,
  })
  const moved = { toSpendingId: spendingId, amount: 500 }
  await person.post(`${path}/spending/transfer`, moved)
  const { transaction } = await person.post(`${path}/transactions`, {
    name: 'Tea',
    amount: 250,
    date: '2026-03-02T06:00:00Z',
    spendingId,
  })
  const notes = { items: [transaction.transactionId], set: { notes: 'tea' } }
  const { operationId } = await person.patch(`${path}/transactions/bulk`, notes)
  const conditions = { bankAccountId: id, originalName: { kind: 'contains', text: 'tea' } }
  const rule = { name: 'Tea', conditions, actions: { tags: ['tea'], spendingId } }
  const { ruleId } = await person.post('/rules', rule)
  const { ruleRunId } = await person.post('/rules/runs', { ruleIds: [ruleId] })
  // A name that no resolver knows (RFC 2606).
  const { webhookId } = await person.post('/webhooks', { url: 'https://hook.invalid/' })
  const { deliveryId } = await person.post(`/webhooks/${webhookId}/ping`, {})
  const feed = { name: 'Feed', feedURL: provider.url, apiKey: provider.apiKey }
  const { feedLinkId } = await person.post('/feed/link', feed)
  await person.call('POST', `/feed/link/${feedLinkId}/bank_accounts/refresh`)
  const [{ feedBankAccountId }] = await person.get(`/feed/link/${feedLinkId}/bank_accounts`)
  const asSession = async (at: string) => (await person.call('GET', at, { asSession: true })).body
  const [{ apiKeyId }] = await asSession('/keys')
  const [{ sessionId }] = await asSession('/users/security/sessions')
  const { userId } = (await asSession('/users/me')).user
  return {
    link: linkId,
    bac: id,
    fund: fundingScheduleId,
    spnd: spendingId,
    lfx: feedLinkId,
    txn: transaction.transactionId,
    op: operationId,
    rule: ruleId,
    rrun: ruleRunId,
    key: apiKeyId,
    sess: sessionId,
    user: userId,
    hook: webhookId,
    dlv: deliveryId,
    lbac: feedBankAccountId,
    rsug: await suggestRule(person, path),
    ...(await withFiles(person, path)),
  }
}

/** Imports payments to one merchant. Returns the ID of the rule that they suggest. */
async function suggestRule(person: Person, path: string): Promise<string> {
  const rows = [13, 14, 15].map((day) => `D01/${day}/2026\nT-4.75\nPCAFE ELAN 00${day}\n^\n`)
  const form = new FormData()
  form.set('data', new File([`!Type:Bank\n${rows.join('')}`], 'cafe.qif'))
  await person.call('POST', `${path}/transactions/upload`, { form })
  const { suggestions } = await eventually(
    () => person.get('/rules/suggestions'),
    (found) => found.suggestions.length > 0,
  )
  return suggestions[0].ruleSuggestionId
}

async function withFiles(person: Person, path: string): Promise<Ids> {
  const send = async (to: string, file: string) => {
    const form = await formWith(file)
    return (await person.call('POST', `${path}/transactions/${to}`, { form })).body
  }
  const { transactionUploadId } = await send('upload', 'equal-rows.ofx')
  await eventually(
    () => person.get(`${path}/transactions/upload/${transactionUploadId}`),
    ({ status }) => status === 'complete',
  )
  const { transactionImportId, headers } = await send('import', 'sign.csv')
  const { transactionImportMappingId } = await person.post('/mappings', {
    mapping: {
      headers,
      id: { kind: 'native', fields: [{ name: 'Transaction ID' }] },
      amount: { kind: 'sign', invert: true, fields: [{ name: 'Amount' }] },
      memo: { name: 'Description' },
      date: { fields: [{ name: 'Posting Date' }], format: 'MM/DD/YYYY' },
      balance: { kind: 'none' },
    },
  })
  const { uploadGroupId } = await sendAll(person)
  return {
    txup: transactionUploadId,
    txim: transactionImportId,
    txix: transactionImportMappingId,
    upgr: uploadGroupId,
  }
}

/** Uploads a file of several accounts without a mapping. */
async function sendAll(person: Person) {
  const form = await formWith('several-accounts.ofx')
  return (await person.call('POST', '/uploads', { form })).body
}

async function formWith(file: string): Promise<FormData> {
  const form = new FormData()
  const content = await readFile(new URL(`../data/${file}`, import.meta.url))
  form.set('data', new File([new Uint8Array(content)], file))
  return form
}
