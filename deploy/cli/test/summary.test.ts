import { expect, test } from '@jest/globals'
import { summaryText, welcomeText } from '../src/demo/texts.ts'

const goal = {
  spendingId: 'spnd_1',
  fundingScheduleId: 'fund_1',
  spendingType: 'goal' as const,
  name: 'Trip',
  targetAmount: 240_000,
  currentAmount: 60_000,
  nextRecurrence: '2027-07-01T05:00:00Z',
  nextContributionAmount: 7_500,
  isBehind: false,
}
const balances = { current: 1_173_882, available: 1_167_445, expenses: 90_050, goals: 60_000 }

test('amounts have a currency, days the timezone, and expenses that are behind are named', () => {
  const rent = { ...goal, name: 'Rent', isBehind: true, currentAmount: 5, targetAmount: 100 }
  const text = summaryText({
    balances: { ...balances, currency: 'USD', free: -50 },
    spending: [goal, rent],
    timezone: 'America/Chicago',
  })
  expect(text).toContain('Available      $11,674.45   (current $11,738.82)')
  expect(text).toContain('Free to use    -$0.50')
  expect(text).toContain('Trip  $600.00  of $2,400.00  by Jul 1, 2027  next $75.00')
  expect(text).toMatch(/^Rent {2}.*BEHIND$/m)
  expect(text.endsWith('Behind, because no pay comes before the due date: Rent.')).toBe(true)
})

test('a currency without decimals has none', () => {
  const text = summaryText({
    balances: { ...balances, currency: 'JPY', free: 0 },
    spending: [],
    timezone: 'Asia/Tokyo',
  })
  expect(text).toContain('Available      ¥1,167,445')
  expect(text).toContain('Nothing is behind.')
})

const saved = { email: 'demo@example.com', bankAccountId: 'bac_1' }
test.each([
  ['first-password', 'first-password'],
  [
    null,
    'changed. A new one is set by: ' +
      'npm run coffer -- login:reset-password --email demo@example.com',
  ],
])('the saved password is shown only if it is that of the login: %s', (password, shown) => {
  const text = welcomeText('http://127.0.0.1:4000', { ...saved, password })
  expect(text).toContain(`Demo login       demo@example.com   password: ${shown}\n`)
})
