import type { Booted } from '@coffer/host/testing/boot'
import { newId } from '@coffer/kit/values/id'
import {
  BankAccountService,
  type CreateBankAccountRequest,
} from '@coffer/proto/ledger/v1/bank_account'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import { LinkService } from '@coffer/proto/ledger/v1/link'
import { TransactionService } from '@coffer/proto/ledger/v1/transaction'
import { UploadService } from '@coffer/proto/ledger/v1/upload'
import { Code, ConnectError } from '@connectrpc/connect'

/** An account in America/Chicago with one bank account on a manual link, and its clients. */
export async function household(booted: Booted, opening: Partial<CreateBankAccountRequest> = {}) {
  const accountId = newId('acct')
  const as = booted.as(accountId, { timezone: 'America/Chicago' })
  const links = booted.client('ledger', LinkService)
  const accounts = booted.client('ledger', BankAccountService)
  const { link } = await links.createLink({ institutionName: 'Bank' }, as)
  const linkId = link?.linkId ?? ''
  const { name = 'Checking', ...balances } = opening
  const body = { linkId, name, ...balances }
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
    uploads: booted.client('ledger', UploadService),
    balances: async () => (await accounts.getBalances({ bankAccountId }, as)).balances,
  }
}

export type Household = Awaited<ReturnType<typeof household>>

/** For each call, in order: its error code, or `accepted`. */
export async function refusals(...calls: Promise<unknown>[]): Promise<string[]> {
  const outcomes = await Promise.allSettled(calls)
  return outcomes.map((outcome) =>
    outcome.status === 'fulfilled' ? 'accepted' : Code[ConnectError.from(outcome.reason).code],
  )
}
