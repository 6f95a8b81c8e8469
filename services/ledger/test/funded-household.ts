import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { Booted } from '@coffer/host/testing/boot'
import { newId } from '@coffer/kit/values/id'
import { BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import { LinkService } from '@coffer/proto/ledger/v1/link'
import { TransactionService } from '@coffer/proto/ledger/v1/transaction'
import type { CallOptions } from '@connectrpc/connect'

const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))

export type FundedHousehold = Awaited<ReturnType<typeof fundedHousehold>>

/** A bank account with 100,000 available, an expense holding 30,000 and a goal holding 40,000. */
export async function fundedHousehold(booted: Booted, accountId = newId('acct')) {
  const as: CallOptions = booted.as(accountId)
  const links = booted.client('ledger', LinkService)
  const accounts = booted.client('ledger', BankAccountService)
  const envelopes = booted.client('ledger', EnvelopeService)
  const transactions = booted.client('ledger', TransactionService)
  const { link } = await links.createLink({ institutionName: 'Bank' }, as)
  const balance = { availableBalance: 100_000n, currentBalance: 100_000n }
  const body = { linkId: link?.linkId ?? '', name: 'Checking', ...balance }
  const { bankAccount } = await accounts.createBankAccount(body, as)
  const bankAccountId = bankAccount?.bankAccountId ?? ''
  const [expense, goal] = [newId('spnd'), newId('spnd')]
  await envelopes.openEnvelope({ bankAccountId, spendingId: expense, spendingType: 'expense' }, as)
  await envelopes.openEnvelope({ bankAccountId, spendingId: goal, spendingType: 'goal' }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: expense, amount: 30_000n }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: goal, amount: 40_000n }, as)
  const balances = async () => (await accounts.getBalances({ bankAccountId }, as)).balances
  return {
    accountId,
    as,
    bankAccountId,
    expense,
    goal,
    accounts,
    envelopes,
    transactions,
    balances,
  }
}

/** Sends one payment of 100 from the expense of each household, all at the same time. */
export async function payTogether(households: readonly FundedHousehold[]) {
  return Promise.allSettled(
    households.map(({ as, bankAccountId, expense, transactions }) =>
      transactions.createTransaction(
        {
          bankAccountId,
          amount: 100n,
          date,
          name: 'Tea',
          spendingId: expense,
          adjustsBalance: true,
        },
        { ...as, timeoutMs: 2_000 },
      ),
    ),
  )
}
