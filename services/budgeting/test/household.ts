import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { Booted } from '@coffer/host/testing/boot'
import { newId } from '@coffer/kit/values/id'
import { FundingScheduleService } from '@coffer/proto/budgeting/v1/funding_schedule'
import { SpendingService } from '@coffer/proto/budgeting/v1/spending'
import { BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import { LinkService } from '@coffer/proto/ledger/v1/link'
import { TransactionService } from '@coffer/proto/ledger/v1/transaction'
import { sql } from 'slonik'

export const chicago = 'America/Chicago'
export const at = (text: string) => timestampFromDate(new Date(text))
export const twiceMonthly =
  'DTSTART:20211231T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15,-1'
export const monthly = 'DTSTART:20220101T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=1'

/** Creates an account with 10,000.00 on a manual bank account, and clients for its calls. */
export async function createHousehold(
  booted: Booted,
  { accountId = newId('acct'), timezone = chicago }: { accountId?: string; timezone?: string } = {},
) {
  const as = booted.as(accountId, { timezone })
  const links = booted.client('ledger', LinkService)
  const accounts = booted.client('ledger', BankAccountService)
  const envelopes = booted.client('ledger', EnvelopeService)
  const transactions = booted.client('ledger', TransactionService)
  const schedules = booted.client('budgeting', FundingScheduleService)
  const spending = booted.client('budgeting', SpendingService)
  await booted.database('budgeting').pool.query(sql.unsafe`
    INSERT INTO account_settings (account_id, timezone, version)
    VALUES (${accountId}, ${timezone}, 1) ON CONFLICT DO NOTHING`)
  const { link } = await links.createLink({ institutionName: 'Bank' }, as)
  const linkId = link?.linkId ?? ''
  const balance = { availableBalance: 1_000_000n, currentBalance: 1_000_000n }
  const created = await accounts.createBankAccount({ linkId, name: 'Checking', ...balance }, as)
  const bankAccountId = created.bankAccount?.bankAccountId ?? ''

  const pay = async (changes: object = {}) => {
    const body = { bankAccountId, name: 'Pay', ruleset: twiceMonthly, ...changes }
    const { fundingSchedule } = await schedules.createFundingSchedule(body, as)
    if (!fundingSchedule) throw new Error('no schedule')
    return fundingSchedule
  }
  const expense = async (fundingScheduleId: string, changes: object = {}) => {
    const plan = { spendingType: 'expense', ruleset: monthly, targetAmount: 1000n }
    const body = { ...plan, nextRecurrence: at('2023-11-01T05:00Z'), ...changes }
    const named = { name: newId('name'), bankAccountId, fundingScheduleId, ...body }
    const created = await spending.createSpending(named, as)
    if (!created.spending) throw new Error('no spending')
    return created.spending
  }
  const goal = (fundingScheduleId: string, changes: object = {}) =>
    expense(fundingScheduleId, { spendingType: 'goal', ruleset: undefined, ...changes })
  const list = async () => (await spending.listSpending({ bankAccountId }, as)).spending
  const balances = async () => (await accounts.getBalances({ bankAccountId }, as)).balances
  return {
    accountId,
    as,
    bankAccountId,
    linkId,
    links,
    accounts,
    envelopes,
    transactions,
    schedules,
    spending,
    pay,
    expense,
    goal,
    list,
    balances,
  }
}

export type Household = Awaited<ReturnType<typeof createHousehold>>
