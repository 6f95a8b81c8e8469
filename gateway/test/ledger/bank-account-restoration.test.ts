import { expect, test } from '@jest/globals'
import { createGateway } from '../gateway.ts'
import { accountUrl, bankAccount, ids } from '../samples.ts'

test('a restored bank account has its candidate, or none while feed-sync is away', async () => {
  const feedBankAccountId = 'lbac_01hzzzzzzzzzzzzzzzzzzzzzza'
  const candidate = { feedBankAccountId, feedLinkId: ids.feedLinkId, status: 'active' }
  const restoreBankAccount = () => ({ bankAccount: { ...bankAccount, feedBankAccountId } })
  const bankAccounts = { restoreBankAccount, getBankAccount: () => ({ bankAccount }) }
  const findFeedBankAccounts = () => ({ feedBankAccounts: [candidate] })
  for (const feedBankAccounts of [{ findFeedBankAccounts }, {}]) {
    await using gateway = await createGateway({ bankAccounts, feedBankAccounts })
    const { status, body } = await gateway.send('POST', `${accountUrl}/restore`)
    expect([status, body.feedBankAccountId]).toEqual([200, feedBankAccountId])
    const shown = 'findFeedBankAccounts' in feedBankAccounts ? 'active' : undefined
    expect(body.feedBankAccount?.status).toBe(shown)
  }
})
