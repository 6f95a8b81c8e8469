import { booting } from '@coffer/host/testing/booting'
import { createHousehold } from '@coffer/host/testing/household'
import { problemsOf } from '@coffer/kit/rpc/errors'
import { headers } from '@coffer/kit/rpc/rpc'
import { newId } from '@coffer/kit/values/id'
import { Code, ConnectError } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { auditLedger } from '../../src/money/audit.sql.ts'
import { ledger } from '../../src/service.ts'
import { refusals } from '../outcomes.ts'

const booted = booting([ledger])

/** Returns the names of the fields that the error of a refused call lists as `problems`. */
async function problemsIn(call: Promise<unknown>): Promise<unknown> {
  try {
    await call
    return 'accepted'
  } catch (error) {
    return Object.keys(problemsOf(ConnectError.from(error)) ?? {})
  }
}

describe('bank accounts', () => {
  test('have the defaults of docs/links.md, the currency of the caller', async () => {
    const { accounts, linkId, accountId } = await createHousehold(booted)
    const german = booted.as(accountId, { locale: 'de_DE' })
    const { bankAccount } = await accounts.createBankAccount({ linkId, name: 'Giro' }, german)
    expect(bankAccount).toMatchObject({
      linkId,
      currency: 'EUR',
      availableBalance: 0n,
      currentBalance: 0n,
      limitBalance: 0n,
      name: 'Giro',
      originalName: '',
      accountType: 'depository',
      accountSubType: 'checking',
      status: 'active',
    })
    expect(bankAccount?.mask).toBeUndefined()
    expect(bankAccount?.feedBankAccountId).toBeUndefined()
    expect(bankAccount?.deletedAt).toBeUndefined()
    expect(bankAccount?.lastUpdated).toEqual(bankAccount?.createdAt)
  })

  test('are created once by concurrent calls under one Idempotency-Key', async () => {
    const { accounts, linkId, as } = await createHousehold(booted)
    const key = { [headers.idempotencyKey]: newId('k'), [headers.bodyHash]: 'ab' }
    const keyed = { ...as, headers: key }
    const body = { linkId, name: 'Joint', availableBalance: 300n }
    const made = await Promise.all(
      Array.from({ length: 8 }, () => accounts.createBankAccount(body, keyed)),
    )
    const ids = new Set(made.map(({ bankAccount }) => bankAccount?.bankAccountId))
    expect(ids.size).toBe(1)
    const { bankAccounts } = await accounts.listBankAccounts({}, as)
    expect(bankAccounts.filter(({ name }) => name === 'Joint')).toHaveLength(1)
    expect(await auditLedger(booted.database('ledger'))).toEqual([])
  })

  test('are listed without archived ones, and by their link with archived ones', async () => {
    const { accounts, linkId, bankAccountId, as } = await createHousehold(booted)
    const { bankAccount } = await accounts.createBankAccount({ linkId, name: 'Second' }, as)
    const second = bankAccount?.bankAccountId ?? ''
    await accounts.archiveBankAccount({ bankAccountId }, as)
    const ids = async (filter: { linkId?: string }) =>
      (await accounts.listBankAccounts(filter, as)).bankAccounts.map((one) => one.bankAccountId)
    expect(await ids({})).toEqual([second])
    expect(await ids({ linkId })).toEqual([bankAccountId, second])
  })

  test('take new balances, which getBalances returns', async () => {
    const { accounts, bankAccountId, as, balances } = await createHousehold(booted)
    await accounts.updateBankAccount(
      {
        bankAccountId,
        availableBalance: -5n,
        currentBalance: 7n,
        limitBalance: 9n,
        mask: '1234',
        updateMask: {
          paths: ['available_balance', 'current_balance', 'limit_balance', 'mask'],
        },
      },
      as,
    )
    expect(await balances()).toMatchObject({ available: -5n, current: 7n, limit: 9n, free: -5n })
    const cleared = { bankAccountId, updateMask: { paths: ['limit_balance', 'mask'] } }
    const { bankAccount } = await accounts.updateBankAccount(cleared, as)
    expect(bankAccount).toMatchObject({ limitBalance: 0n, availableBalance: -5n })
    expect(bankAccount?.mask).toBeUndefined()
  })

  test('are readable, inactive, and refuse every write once archived', async () => {
    const home = await createHousehold(booted)
    const { accounts, envelopes, links, linkId, bankAccountId, as } = home
    await accounts.archiveBankAccount({ bankAccountId }, as)
    const { bankAccount } = await accounts.getBankAccount({ bankAccountId }, as)
    expect(bankAccount).toMatchObject({ status: 'inactive' })
    expect(bankAccount?.deletedAt).toBeDefined()
    const rename = { bankAccountId, name: 'x', updateMask: { paths: ['name'] } }
    const spending = { bankAccountId, spendingId: newId('spnd'), spendingType: 'goal' }
    expect(
      await refusals(
        accounts.archiveBankAccount({ bankAccountId }, as),
        accounts.updateBankAccount(rename, as),
        envelopes.openEnvelope(spending, as),
      ),
    ).toEqual(Array(3).fill('FailedPrecondition'))
    for (let time = 0; time < 2; time += 1) {
      const restored = (await accounts.restoreBankAccount({ bankAccountId }, as)).bankAccount
      expect(restored).toMatchObject({ status: 'active' })
      expect(restored?.deletedAt).toBeUndefined()
    }
    await accounts.updateBankAccount(rename, as)
    await accounts.archiveBankAccount({ bankAccountId }, as)
    await links.deleteLink({ linkId }, as)
    const deleted = accounts.restoreBankAccount({ bankAccountId }, as)
    expect(await refusals(deleted)).toEqual(['NotFound'])
  })

  test('of a feed have a candidate each, which is free again once they are archived', async () => {
    const { accounts, links, as } = await createHousehold(booted)
    const feed = { institutionName: 'Feed', feedLinkId: newId('lfx') }
    const linkId = (await links.createLink(feed, as)).link?.linkId ?? ''
    expect(await problemsIn(accounts.createBankAccount({ linkId, name: 'x' }, as))).toEqual([
      'feedBankAccountId',
    ])
    const candidate = { linkId, name: 'x', feedBankAccountId: newId('lbac') }
    const { bankAccount } = await accounts.createBankAccount(candidate, as)
    await expect(accounts.createBankAccount(candidate, as)).rejects.toMatchObject({
      code: Code.AlreadyExists,
    })
    const first = { bankAccountId: bankAccount?.bankAccountId ?? '' }
    await accounts.archiveBankAccount(first, as)
    await accounts.restoreBankAccount(first, as)
    await accounts.archiveBankAccount(first, as)
    const again = await accounts.createBankAccount(candidate, as)
    expect(again.bankAccount?.feedBankAccountId).toBe(candidate.feedBankAccountId)
    expect(await refusals(accounts.restoreBankAccount(first, as))).toEqual(['AlreadyExists'])
  })

  test('are not found in another account or under its link', async () => {
    const { accounts, linkId, bankAccountId } = await createHousehold(booted)
    const stranger = booted.as(newId('acct'))
    const answers = await refusals(
      accounts.getBankAccount({ bankAccountId }, stranger),
      accounts.getBalances({ bankAccountId }, stranger),
      accounts.listBankAccounts({ linkId }, stranger),
      accounts.createBankAccount({ linkId, name: 'x' }, stranger),
      accounts.updateBankAccount({ bankAccountId }, stranger),
      accounts.archiveBankAccount({ bankAccountId }, stranger),
    )
    expect(answers).toEqual(Array(6).fill('NotFound'))
  })
})
