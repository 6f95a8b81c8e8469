import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Coffer } from '@coffer/client'
import type { Transaction } from '@coffer/client/types'
import { midnightOf } from '@coffer/kit/values/day'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { DateTime } from 'luxon'
import { type EnvelopePlan, envelopePlans, household, schedulePlans } from './story.ts'

const data = (name: string) => new URL(`../../../../test/data/${name}`, import.meta.url)
const pollMs = 200
const importTimeoutMs = 60_000
const assignedMax = 3

type Path = { bankAccountId: string }

/**
 * Loads the demo's household through the REST API, and returns the ID of its bank account. Due
 * dates are calculated from `now`. Idempotent: an object whose name exists is left as it is. Throws
 * FatalError when the import of the transactions fails or takes longer than 60 s.
 */
export async function loadDemo(coffer: Coffer, now: Date): Promise<string> {
  const { accountName, cardName } = household
  const bankAccountId = await bankAccount(coffer, { name: accountName, mask: '4417' })
  const path = { bankAccountId }
  await transactions(coffer, path, 'checking.qfx')
  const card = { name: cardName, mask: '1111', accountType: 'credit' } as const
  const cardId = await bankAccount(coffer, { ...card, accountSubType: 'credit card' })
  await transactions(coffer, { bankAccountId: cardId }, 'card.qfx')
  const today = DateTime.fromJSDate(midnightOf(now, household.timezone), {
    zone: household.timezone,
  })
  const schedules = await schedulesByName(coffer, path, today)
  const known = (await coffer.listSpending({ path })).data
  for (const plan of envelopePlans(today)) {
    if (!known.some(({ name }) => name === plan.name)) {
      const fundingScheduleId = schedules.get(plan.schedule) ?? ''
      await createEnvelope({ coffer, path, plan, fundingScheduleId })
    }
  }
  return bankAccountId
}

type NewAccount = Omit<NonNullable<Parameters<Coffer['createBankAccount']>[0]>['body'], 'linkId'>

async function bankAccount(coffer: Coffer, account: NewAccount): Promise<string> {
  const { institutionName } = household
  const { name } = account
  const links = (await coffer.listLinks()).data
  const link =
    links.find((one) => one.institutionName === institutionName) ??
    (await coffer.createLink({ body: { institutionName } })).data
  const { linkId } = link
  const accounts = (await coffer.listBankAccounts()).data ?? []
  const found =
    accounts.find((one) => one.linkId === linkId && one.name === name) ??
    (await coffer.createBankAccount({ body: { linkId, currency: 'USD', ...account } })).data
  return found.bankAccountId
}

/** Uploads a QFX file and awaits its import, unless the bank account has transactions. */
async function transactions(coffer: Coffer, path: Path, name: string): Promise<void> {
  const some = (await coffer.listTransactions({ path, query: { limit: 1 } })).data
  if (some.length > 0) return
  const content = new Uint8Array(await readFile(data(name)))
  const file = new File([content], name, { type: 'application/vnd.intu.QFX' })
  const upload = await coffer.createUpload({ path, body: { data: file } })
  const { transactionUploadId } = upload.data
  const deadline = performance.now() + importTimeoutMs
  for (;;) {
    const one = { path: { ...path, transactionUploadId } }
    const { status, error } = (await coffer.getUpload(one)).data
    if (status === 'complete') return
    if (status === 'failed' || performance.now() > deadline) {
      throw new FatalError(`The import is ${status}: ${error ?? 'it takes too long'}`)
    }
    await sleep(pollMs)
  }
}

async function schedulesByName(
  coffer: Coffer,
  path: Path,
  today: DateTime,
): Promise<Map<string, string>> {
  const known = (await coffer.listFundingSchedules({ path })).data
  const ids = new Map(known.map((one) => [one.name, one.fundingScheduleId]))
  for (const plan of schedulePlans(today)) {
    if (!ids.has(plan.name)) {
      const body = { ...plan, excludeWeekends: true }
      const made = (await coffer.createFundingSchedule({ path, body })).data
      ids.set(plan.name, made.fundingScheduleId)
    }
  }
  return ids
}

/**
 * Creates an envelope with its plan, fills it, and spends the newest matching transactions from it.
 * The envelope then holds `plan.held` in minor units, plus its refund.
 */
async function createEnvelope(options: {
  coffer: Coffer
  path: Path
  plan: EnvelopePlan
  fundingScheduleId: string
}): Promise<void> {
  const { coffer, path, plan, fundingScheduleId } = options
  const { spendingType, name, targetAmount, ruleset, held } = plan
  const nextRecurrence = plan.nextRecurrence.toUTC().toISO() ?? ''
  const shared = { name, fundingScheduleId, targetAmount, nextRecurrence }
  const body =
    spendingType === 'goal'
      ? { ...shared, spendingType }
      : { ...shared, spendingType, ruleset: ruleset ?? '', ...rulesOf(plan) }
  const { spendingId } = (await coffer.createSpending({ path, body })).data
  const paid = await newestPaid(coffer, path, plan.spentAt)
  const amount = paid.reduce((sum, transaction) => sum + transaction.amount, held)
  const transfer = { fromSpendingId: null, toSpendingId: spendingId, amount }
  await coffer.transferBetweenEnvelopes({ path, body: transfer })
  for (const { transactionId } of paid) {
    await coffer.updateTransaction({ path: { ...path, transactionId }, body: { spendingId } })
  }
  const { refundedBy: prefix } = plan
  if (prefix !== undefined) await refund(coffer, path, { spendingId, prefix })
}

/** Returns the plan's fields for bills. An everyday expense has no bill: it keeps unspent money. */
function rulesOf({ isEveryday = false }: EnvelopePlan) {
  return { graceDays: isEveryday ? 0 : 5, settlesWhenSpent: !isEveryday, carryOver: isEveryday }
}

/** Assigns the newest deposit whose name begins with `prefix` to the envelope, as a refund. */
async function refund(
  coffer: Coffer,
  path: Path,
  { spendingId, prefix }: { spendingId: string; prefix: string },
): Promise<void> {
  const query = { search: prefix, amount_to: -1, limit: 1 }
  for (const { transactionId } of (await coffer.listTransactions({ path, query })).data) {
    const body = { refundSpendingId: spendingId }
    await coffer.updateTransaction({ path: { ...path, transactionId }, body })
  }
}

/** Returns the newest payments at `shops` without an envelope; three at most. */
async function newestPaid(coffer: Coffer, path: Path, shops: string[]): Promise<Transaction[]> {
  const newest = (await coffer.listTransactions({ path, query: { limit: 100 } })).data
  return newest
    .filter(({ amount, spendingId }) => amount > 0 && spendingId === null)
    .filter(({ name = '' }) => shops.some((shop) => name.toUpperCase().startsWith(shop)))
    .slice(0, assignedMax)
}
