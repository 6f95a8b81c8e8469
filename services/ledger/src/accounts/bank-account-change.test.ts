import { problemsOf as problemsIn } from '@coffer/kit/rpc/errors'
import type { ConnectError } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { aBankAccount, aLink, anOperation } from '../../test/imports/samples.ts'
import type { BankAccount } from '../book/bank-account.ts'
import type { Link } from '../book/link.ts'
import {
  archiveBankAccount,
  type BankAccountPatch,
  changeBankAccount,
  createBankAccount,
  type NewBankAccount,
  requireOwnLink,
} from './bank-account-change.ts'

const NOW = anOperation().now

function create(body: Partial<NewBankAccount> = {}, changes: Partial<Link> = {}) {
  const link = aLink(changes)
  requireOwnLink(link)
  const required = { bankAccountId: 'bac_1', name: 'Checking', currency: 'USD' }
  return createBankAccount({ link, operation: anOperation() }, { ...required, ...body })
}

function problemsOf(attempt: () => unknown): unknown {
  try {
    attempt()
    return 'accepted'
  } catch (error) {
    return problemsIn(error as ConnectError) ?? {}
  }
}

describe('a new bank account', () => {
  test('has the defaults of docs/links.md', () => {
    expect(create()).toEqual({
      bankAccount: aBankAccount({ lastUpdated: NOW, createdAt: NOW, updatedAt: NOW, version: 2n }),
      envelopes: [],
      entries: [],
    })
  })

  test('journals its opening balances', () => {
    const { bankAccount, entries } = create({ availableBalance: 500n, currentBalance: -20n })
    expect(bankAccount).toMatchObject({ availableBalance: 500n, currentBalance: -20n })
    expect(entries).toMatchObject([
      { pot: 'available', delta: 500n, amount: 500n, cause: 'opening', causeId: 'bac_1' },
      { pot: 'current', delta: -20n, amount: -20n, cause: 'opening', causeId: 'bac_1' },
    ])
  })

  test.each([
    [{ limitBalance: -1n }, 'limitBalance'],
    [{ currency: 'ZZZ' }, 'currency'],
    [{ currency: 'usd' }, 'currency'],
    [{ mask: '123' }, 'mask'],
    [{ accountType: 'bank' }, 'accountType'],
    [{ accountSubType: 'gold' }, 'accountSubType'],
    [{ status: 'gone' }, 'status'],
    [{ feedBankAccountId: 'lbac_1' }, 'feedBankAccountId'],
  ])('with %j is refused', (body, field) => {
    expect(problemsOf(() => create(body))).toHaveProperty(field)
  })

  test('stands on a live manual or feed link', () => {
    const feed = { linkType: 'feed', feedLinkId: 'lfx_1' } as const
    expect(problemsOf(() => create({}, feed))).toHaveProperty('feedBankAccountId')
    expect(create({ feedBankAccountId: 'lbac_1' }, feed).bankAccount).toMatchObject({
      linkType: 'feed',
      feedBankAccountId: 'lbac_1',
    })
    expect(problemsOf(() => create({}, { linkType: 'aggregator' }))).toHaveProperty('linkId')
    expect(() => create({}, { deletedAt: NOW })).toThrow('link has been deleted')
  })
})

function change(patch: BankAccountPatch, account: Partial<BankAccount> = {}) {
  const bankAccount = aBankAccount({
    availableBalance: 100n,
    currentBalance: 100n,
    limitBalance: 50n,
    mask: '1234',
    ...account,
  })
  return changeBankAccount({ bankAccount, operation: anOperation() }, patch)
}

describe('a changed bank account', () => {
  test('with nothing named only moves updatedAt', () => {
    const before = { availableBalance: 100n, currentBalance: 100n, limitBalance: 50n, mask: '1234' }
    expect(change({})).toEqual({
      bankAccount: aBankAccount({ ...before, updatedAt: NOW, version: 2n }),
      envelopes: [],
      entries: [],
    })
  })

  test('journals edited balances, which hold from now on', () => {
    const { bankAccount, entries } = change({ availableBalance: 0n, currentBalance: 130n })
    expect(bankAccount).toMatchObject({
      availableBalance: 0n,
      currentBalance: 130n,
      limitBalance: 50n,
      balancesAsOf: NOW,
      lastUpdated: NOW,
    })
    expect(entries.map(({ pot, delta, cause }) => [pot, delta, cause])).toEqual([
      ['available', -100n, 'manual-edit'],
      ['current', 30n, 'manual-edit'],
    ])
  })

  test('clears limit and mask by null', () => {
    expect(change({ limitBalance: null, mask: null }).bankAccount).toMatchObject({
      limitBalance: 0n,
      mask: null,
    })
  })

  test('keeps a currency that the runtime no longer knows, but takes no new one', () => {
    expect(change({ name: 'Old' }, { currency: 'ZZZ' }).bankAccount.currency).toBe('ZZZ')
    expect(problemsOf(() => change({ currency: 'ZZZ' }))).toHaveProperty('currency')
  })

  test.each([
    ['feed', { name: 'Main', mask: 'AB12', currency: 'EUR' }, 'accepted'],
    ['feed', { availableBalance: 1n }, { availableBalance: 'key not expected' }],
    ['aggregator', { name: 'Main' }, 'accepted'],
    ['aggregator', { mask: '1234' }, { mask: 'key not expected' }],
    ['unknown', { currency: 'EUR' }, { currency: 'key not expected' }],
    ['manual', { limitBalance: -1n }, { limitBalance: 'must not be negative' }],
    ['manual', { mask: '12345' }, { mask: 'must be exactly 4 characters' }],
  ] as const)('on a %s link by %j', (linkType, patch, outcome) => {
    expect(problemsOf(() => change(patch, { linkType }))).toEqual(outcome)
  })

  const max = 2n ** 53n - 1n
  test.each([
    [{ availableBalance: -max }, {}, 'availableBalance'],
    [{ availableBalance: -max }, { expenses: 1n, availableBalance: 0n }, 'availableBalance'],
    [{ currentBalance: max }, { currentBalance: -1n }, 'currentBalance'],
  ])('by %j leaves the range', (patch, account, field) => {
    const text = 'The amounts would leave the range of ±9007199254740991'
    expect(problemsOf(() => change(patch, account))).toEqual({ [field]: text })
  })

  test('stays when it is archived', () => {
    expect(() => change({ name: 'x' }, { deletedAt: NOW })).toThrow('archived')
  })
})

describe('archiving', () => {
  test('stamps the account inactive, once', () => {
    const archived = archiveBankAccount(aBankAccount({ availableBalance: 5n }), NOW)
    expect(archived).toEqual(
      aBankAccount({ availableBalance: 5n, status: 'inactive', deletedAt: NOW, updatedAt: NOW }),
    )
    expect(() => archiveBankAccount(archived, NOW)).toThrow('archived')
  })

  test('of an aggregator account is refused: it goes with its link', () => {
    expect(() => archiveBankAccount(aBankAccount({ linkType: 'aggregator' }), NOW)).toThrow(
      'delete the link',
    )
  })
})
