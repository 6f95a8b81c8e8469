import { expect, test } from '@jest/globals'
import { BankAccount } from './bank-account.ts'
import { openEnvelope } from './envelope.ts'
import { createKeptMoney } from './kept-money.ts'

const now = new Date('2026-03-02T06:00:00Z')
const later = (ms: number) => new Date(now.getTime() + ms)

function accountOf(bankAccountId: string): BankAccount {
  const zero = {
    availableBalance: 0n,
    currentBalance: 0n,
    limitBalance: 0n,
    expenses: 0n,
    goals: 0n,
  }
  return BankAccount.parse({
    ...{ accountId: 'acct_1', bankAccountId, linkId: 'link_1', linkType: 'manual', ...zero },
    ...{
      feedBankAccountId: null,
      currency: 'USD',
      balancesAsOf: null,
      mask: null,
      name: 'Checking',
    },
    ...{ originalName: 'Checking', accountType: 'depository', accountSubType: 'checking' },
    ...{ status: 'active', lastUpdated: now, createdAt: now, updatedAt: now },
    ...{ deletedAt: null, removedAt: null },
  })
}

function envelopeOf(spendingId: string) {
  const identity = { accountId: 'acct_1', bankAccountId: 'bac_1', spendingId }
  return openEnvelope({ ...identity, spendingType: 'expense' }, now)
}

function scopeOf(spendingIds: string[], bankAccountId = 'bac_1') {
  return { accountId: 'acct_1', bankAccountId, spendingIds, transactionIds: [] }
}

test('each envelope has the version of the write that changed it last', () => {
  const kept = createKeptMoney()
  const bankAccount = accountOf('bac_1')
  const [first, second] = [envelopeOf('spnd_1'), envelopeOf('spnd_2')]
  kept.keep({ bankAccount, envelopes: [first, second], version: '7' }, now)
  kept.keep({ bankAccount, envelopes: [second], version: '8' }, now)
  expect(kept.find(scopeOf(['spnd_2', 'spnd_1']), now)).toEqual({
    bankAccount,
    envelopes: [second, first],
    transactions: [],
    seen: { account: '8', envelopes: ['spnd_2 8', 'spnd_1 7'], transactions: [] },
  })
})

test('what is not all there, too old, forgotten or of somebody else is not found', () => {
  const kept = createKeptMoney()
  const saved = { bankAccount: accountOf('bac_1'), envelopes: [envelopeOf('spnd_1')], version: '7' }
  kept.keep(saved, now)
  expect(kept.find(scopeOf(['spnd_1']), later(9_999))).not.toBeNull()
  expect(kept.find(scopeOf(['spnd_1']), later(10_000))).toBeNull()
  expect(kept.find(scopeOf(['spnd_1', 'spnd_2']), now)).toBeNull()
  expect(kept.find({ ...scopeOf(['spnd_1']), transactionIds: ['txn_1'] }, now)).toBeNull()
  expect(kept.find({ ...scopeOf(['spnd_1']), accountId: 'acct_2' }, now)).toBeNull()
  kept.forget(scopeOf([]))
  expect(kept.find(scopeOf(['spnd_1']), now)).toBeNull()
  kept.keep(saved, now)
  kept.clear()
  expect(kept.find(scopeOf(['spnd_1']), now)).toBeNull()
})

test('of a thousand bank accounts and more those written to last are kept', () => {
  const kept = createKeptMoney()
  const keep = (index: number) =>
    kept.keep({ bankAccount: accountOf(`bac_${index}`), envelopes: [], version: '7' }, now)
  for (let index = 0; index < 1_000; index++) keep(index)
  keep(0)
  keep(1_000)
  const isKept = (index: number) => kept.find(scopeOf([], `bac_${index}`), now) !== null
  expect([0, 1, 2, 1_000].map(isKept)).toEqual([true, false, true, true])
})
