import { create } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { BankAccountOverviewSchema } from '@coffer/proto/ledger/v1/bank_account'
import { LinkSchema } from '@coffer/proto/ledger/v1/link'
import { expect, test } from '@jest/globals'
import { basic, createGateway } from '../gateway.ts'
import { balances, bankAccount, fundingSchedule, ids, spending } from '../samples.ts'
import { apiKey } from '../stub-mesh.ts'

const { linkId, feedLinkId, bankAccountId, spendingId, fundingScheduleId } = ids
const other = fundingScheduleId.replace(/.$/, 'z')
const overview = {
  bankAccount,
  balance: balances,
  unassignedCount: 3,
  isUnassignedCountExact: true,
}
const links = [
  create(LinkSchema, { linkId, linkType: 'feed', feedLinkId, institutionName: 'Prairie' }),
]

test.each([
  [[create(BankAccountOverviewSchema, overview)], links],
  [[], []],
])('the overview of %# is one call to each service that has a part', async (bankAccounts, of) => {
  await using gateway = await createGateway({
    bankAccounts: { listOverviews: () => ({ bankAccounts }) },
    links: { listLinks: () => ({ links: of }) },
    overviews: {
      getPlanOverview: () => ({
        behind: [spending],
        paydays: [fundingSchedule, { ...fundingSchedule, fundingScheduleId: other }],
        expenseCarryOver: true,
        nextFundings: [{ fundingScheduleId, contribution: 2_500n, envelopeCount: 2 }],
      }),
    },
    feedLinks: { listFeedLinks: () => ({ feedLinks: [{ feedLinkId, status: 'active' }] }) },
  })
  const as = { authorization: basic(apiKey.apiKeyId, 'reader') }
  const { status, body, headers } = await gateway.send('GET', '/api/overview', { as })
  expect(status).toBe(200)
  const account = { bankAccount: { bankAccountId }, balance: { free: 45_000 }, unassignedCount: 3 }
  const whole = {
    bankAccounts: [account],
    behind: [{ spendingId }],
    paydays: [
      { fundingScheduleId, nextFunding: { contribution: 2_500, envelopeCount: 2 } },
      { fundingScheduleId: other },
    ],
    links: [{ linkId, feedLink: { status: 'active' } }],
    expenseCarryOver: true,
  }
  const none = { bankAccounts: [], behind: [], paydays: [], links: [] }
  expect(body).toMatchObject(of.length > 0 ? whole : none)
  if (of.length > 0) expect(Object(body).paydays[1]).not.toHaveProperty('nextFunding')
  const calls = gateway.received.map(({ rpc }) => rpc).filter((rpc) => !rpc.startsWith('Verify'))
  const more = of.length > 0 ? ['GetPlanOverview', 'ListFeedLinks'] : []
  expect(calls.sort()).toEqual([...more, 'ListOverviews', 'ListLinks'].sort())
  const again = await gateway.send('GET', '/api/overview', {
    as,
    headers: { 'if-none-match': String(headers.etag) },
  })
  expect(again.status).toBe(304)
})

test('beside a budgeting of the former release the plans come from its lists', async () => {
  const at = (day: number) => timestampFromMs(Date.UTC(2026, 0, day))
  const plan = (day: number, change = {}) => ({
    ...spending,
    isBehind: true,
    isPaused: false,
    nextRecurrence: at(day),
    ...change,
  })
  const schedule = (day: number, change = {}) => ({
    ...fundingSchedule,
    nextRecurrence: at(day),
    ...change,
  })
  await using gateway = await createGateway({
    bankAccounts: {
      listOverviews: () => ({ bankAccounts: [create(BankAccountOverviewSchema, overview)] }),
    },
    links: { listLinks: () => ({ links: [] }) },
    spending: {
      listSpending: () => ({
        spending: [plan(3), plan(2), plan(1, { isPaused: true }), plan(1, { isBehind: false })],
      }),
    },
    fundingSchedules: {
      listFundingSchedules: () => ({
        fundingSchedules: [schedule(3), schedule(2), schedule(1, { lastRecurrence: at(1) })],
      }),
    },
  })
  const as = { authorization: basic(apiKey.apiKeyId, 'reader') }
  const { status, body } = await gateway.send('GET', '/api/overview', { as })
  expect(status).toBe(200)
  const days = (key: string) =>
    (body as Record<string, { nextRecurrence: string }[]>)[key]?.map(({ nextRecurrence }) =>
      nextRecurrence.slice(0, 10),
    )
  expect([days('behind'), days('paydays')]).toEqual([
    ['2026-01-02', '2026-01-03'],
    ['2026-01-02', '2026-01-03'],
  ])
})
