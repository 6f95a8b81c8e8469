import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { FundingScheduleSchema } from '@coffer/proto/budgeting/v1/funding_schedule'
import { SpendingSchema } from '@coffer/proto/budgeting/v1/spending'
import { ApiKeySchema } from '@coffer/proto/identity/v1/api_key'
import { UserSchema } from '@coffer/proto/identity/v1/user'
import { BalancesSchema, BankAccountSchema } from '@coffer/proto/ledger/v1/bank_account'
import { EnvelopeSchema } from '@coffer/proto/ledger/v1/envelope'
import { TransactionSchema } from '@coffer/proto/ledger/v1/transaction'
import { UploadSchema } from '@coffer/proto/ledger/v1/upload'
import { alice, apiKey } from './stub-mesh.ts'

const at = timestampFromDate(new Date('2026-01-02T03:04:05Z'))
const { userId, loginId, accountId } = alice

/** A well-formed ID for each path parameter and ID field. */
export const ids = {
  apiKeyId: apiKey.apiKeyId,
  checkoutSessionId: 'cs_test_1',
  bankAccountId: 'bac_01hzzzzzzzzzzzzzzzzzzzzzza',
  bulkOperationId: 'op_01hzzzzzzzzzzzzzzzzzzzzzza',
  deliveryId: 'dlv_01hzzzzzzzzzzzzzzzzzzzzzza',
  feedLinkId: 'lfx_01hzzzzzzzzzzzzzzzzzzzzzza',
  fundingScheduleId: 'fund_01hzzzzzzzzzzzzzzzzzzzzzza',
  institutionId: 'ins_109508',
  linkId: 'link_01hzzzzzzzzzzzzzzzzzzzzzza',
  ruleId: 'rule_01hzzzzzzzzzzzzzzzzzzzzzza',
  ruleRunId: 'rrun_01hzzzzzzzzzzzzzzzzzzzzzza',
  ruleSuggestionId: 'rsug_01hzzzzzzzzzzzzzzzzzzzzzza',
  sessionId: 'sess_01hzzzzzzzzzzzzzzzzzzzzzza',
  spendingId: 'spnd_01hzzzzzzzzzzzzzzzzzzzzzza',
  transactionId: 'txn_01hzzzzzzzzzzzzzzzzzzzzzza',
  transactionImportId: 'txim_01hzzzzzzzzzzzzzzzzzzzzzza',
  transactionImportMappingId: 'txix_01hzzzzzzzzzzzzzzzzzzzzzza',
  transactionUploadId: 'txup_01hzzzzzzzzzzzzzzzzzzzzzza',
  uploadGroupId: 'upgr_01hzzzzzzzzzzzzzzzzzzzzzza',
  userId: 'user_01hzzzzzzzzzzzzzzzzzzzzzza',
  webhookId: 'hook_01hzzzzzzzzzzzzzzzzzzzzzza',
} as const

/** The path of a bank account in REST. */
export const accountUrl = `/api/bank_accounts/${ids.bankAccountId}`

export const user = create(UserSchema, {
  userId,
  loginId,
  login: { loginId, email: 'alice@example.com', firstName: 'Alice', lastName: '' },
  accountId,
  account: { accountId, timezone: 'America/Chicago', locale: 'en_US', createdAt: at },
  role: 'owner',
})

export const key = create(ApiKeySchema, {
  apiKeyId: ids.apiKeyId,
  name: 'Script',
  scope: 'full',
  createdAt: at,
  createdBy: userId,
  updatedAt: at,
})

export const bankAccount = create(BankAccountSchema, {
  bankAccountId: ids.bankAccountId,
  linkId: ids.linkId,
  currency: 'USD',
  availableBalance: 100_000n,
  currentBalance: 102_500n,
  name: 'Checking',
  accountType: 'depository',
  accountSubType: 'checking',
  status: 'active',
  lastUpdated: at,
  createdAt: at,
  updatedAt: at,
})

// The worked example of docs/money.md#balances.
export const balances = create(BalancesSchema, {
  bankAccountId: ids.bankAccountId,
  currency: 'USD',
  current: 102_500n,
  available: 100_000n,
  free: 45_000n,
  expenses: 25_000n,
  goals: 30_000n,
})

export const fundingSchedule = create(FundingScheduleSchema, {
  fundingScheduleId: ids.fundingScheduleId,
  bankAccountId: ids.bankAccountId,
  name: 'Payday',
  ruleset: 'DTSTART:20220101T060000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=15,-1',
  nextRecurrence: at,
  nextRecurrenceOriginal: at,
})

export const spending = create(SpendingSchema, {
  spendingId: ids.spendingId,
  bankAccountId: ids.bankAccountId,
  fundingScheduleId: ids.fundingScheduleId,
  spendingType: 'goal',
  name: 'Bike',
  targetAmount: 50_000n,
  currentAmount: 2_000n,
  nextRecurrence: at,
  nextContributionAmount: 4_000n,
  createdAt: at,
})

export const envelope = create(EnvelopeSchema, {
  spendingId: ids.spendingId,
  bankAccountId: ids.bankAccountId,
  spendingType: 'goal',
  currentAmount: 2_000n,
  version: 7n,
})

export const transaction = create(TransactionSchema, {
  transactionId: ids.transactionId,
  bankAccountId: ids.bankAccountId,
  amount: 4_500n,
  date: timestampFromDate(new Date('2026-01-02T06:00:00Z')),
  name: 'Groceries',
  originalName: 'Groceries',
  source: 'manual',
  createdAt: at,
})

/** Counts that an upload has at its end. */
export const noCounts = { rowCount: null, knownCount: null, joinedCount: null }

export const upload = create(UploadSchema, {
  transactionUploadId: ids.transactionUploadId,
  bankAccountId: ids.bankAccountId,
  fileId: 'file_01hzzzzzzzzzzzzzzzzzzzzzza',
  status: 'pending',
  createdAt: at,
  createdBy: userId,
})

/** A mapping of CSV files, as REST has it. */
export const mapping = {
  headers: ['Date', 'Text', 'Amount'],
  id: { kind: 'hashed', fields: [{ name: 'Date' }, { derivedKind: 'rowNumber' }] },
  amount: { kind: 'sign', invert: true, fields: [{ name: 'Amount' }] },
  memo: { name: 'Text' },
  date: { fields: [{ name: 'Date' }], format: 'YYYY-MM-DD' },
  balance: { kind: 'none' },
}
