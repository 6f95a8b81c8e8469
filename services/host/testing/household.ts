import { newId } from '@coffer/kit/values/id'
import {
  BankAccountService,
  type CreateBankAccountRequest,
} from '@coffer/proto/ledger/v1/bank_account'
import { CorrectionService } from '@coffer/proto/ledger/v1/correction'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import { LinkService } from '@coffer/proto/ledger/v1/link'
import { TransactionService } from '@coffer/proto/ledger/v1/transaction'
import { UploadService } from '@coffer/proto/ledger/v1/upload'
import type { Booted } from './boot.ts'

/** Fields of the account and bank account to create; balances in minor units. */
export type Opening = Partial<CreateBankAccountRequest> & { accountId?: string; timezone?: string }

/** Creates an account with a manual link and a bank account, and clients that act for its user. */
export async function createHousehold(
  booted: Booted,
  { accountId = newId('acct'), timezone = 'America/Chicago', ...opening }: Opening = {},
) {
  const as = booted.as(accountId, { timezone })
  const links = booted.client('ledger', LinkService)
  const accounts = booted.client('ledger', BankAccountService)
  const { link } = await links.createLink({ institutionName: 'Bank' }, as)
  const linkId = link?.linkId ?? ''
  const body = { linkId, name: 'Checking', ...opening }
  const { bankAccount } = await accounts.createBankAccount(body, as)
  const bankAccountId = bankAccount?.bankAccountId ?? ''
  return {
    accountId,
    as,
    linkId,
    bankAccountId,
    links,
    accounts,
    envelopes: booted.client('ledger', EnvelopeService),
    transactions: booted.client('ledger', TransactionService),
    corrections: booted.client('ledger', CorrectionService),
    uploads: booted.client('ledger', UploadService),
    balances: async () => (await accounts.getBalances({ bankAccountId }, as)).balances,
  }
}

export type Household = Awaited<ReturnType<typeof createHousehold>>
