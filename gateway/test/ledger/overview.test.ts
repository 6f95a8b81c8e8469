import { create } from '@bufbuild/protobuf'
import { BankAccountOverviewSchema } from '@coffer/proto/ledger/v1/bank_account'
import { LinkSchema } from '@coffer/proto/ledger/v1/link'
import { expect, test } from '@jest/globals'
import { basic, createGateway } from '../gateway.ts'
import { balances, bankAccount, fundingSchedule, ids, spending } from '../samples.ts'
import { apiKey } from '../stub-mesh.ts'

const { linkId, feedLinkId, bankAccountId, spendingId, fundingScheduleId } = ids
const overview = { bankAccount, balance: balances, unassignedCount: 3 }
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
    overviews: { getPlanOverview: () => ({ behind: [spending], paydays: [fundingSchedule] }) },
    feedLinks: { listFeedLinks: () => ({ feedLinks: [{ feedLinkId, status: 'active' }] }) },
  })
  const as = { authorization: basic(apiKey.apiKeyId, 'reader') }
  const { status, body, headers } = await gateway.send('GET', '/api/overview', { as })
  expect(status).toBe(200)
  const account = { bankAccount: { bankAccountId }, balance: { free: 45_000 }, unassignedCount: 3 }
  const whole = {
    bankAccounts: [account],
    behind: [{ spendingId }],
    paydays: [{ fundingScheduleId }],
    links: [{ linkId, feedLink: { status: 'active' } }],
  }
  const none = { bankAccounts: [], behind: [], paydays: [], links: [] }
  expect(body).toMatchObject(of.length > 0 ? whole : none)
  const calls = gateway.received.map(({ rpc }) => rpc).filter((rpc) => !rpc.startsWith('Verify'))
  const more = of.length > 0 ? ['GetPlanOverview', 'ListFeedLinks'] : []
  expect(calls.sort()).toEqual([...more, 'ListOverviews', 'ListLinks'].sort())
  const again = await gateway.send('GET', '/api/overview', {
    as,
    headers: { 'if-none-match': String(headers.etag) },
  })
  expect(again.status).toBe(304)
})
