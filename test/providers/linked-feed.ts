import type { Json, Person } from '../harness/person.ts'
import type { LunchFlow } from './lunch-flow.ts'

/** A link to the feed provider with one bank account. */
export interface LinkedFeed {
  linkId: string
  feedLinkId: string
  /** ID of the candidate. */
  feedBankAccountId: string
  bankAccountId: string
}

/** Links the bank account `feedId` of the provider to a person's account. */
export async function linkFeed(
  person: Person,
  provider: LunchFlow,
  feedId: string,
): Promise<LinkedFeed> {
  const connection = { name: 'Home', feedURL: provider.url, apiKey: provider.apiKey }
  const { feedLinkId } = await person.post('/feed/link', connection)
  const { linkId } = await person.post('/links', { institutionName: 'First Bank', feedLinkId })
  const candidates = `/feed/link/${feedLinkId}/bank_accounts`
  await person.call('POST', `${candidates}/refresh`)
  const listed: Json[] = await person.get(candidates)
  const found = listed.find((one) => one.feedId === feedId)
  if (!found) throw new Error(`the provider does not list the bank account ${feedId}`)
  const { feedBankAccountId } = found
  const body = { linkId, name: 'Checking', feedBankAccountId }
  const { bankAccountId } = await person.post('/bank_accounts', body)
  return { linkId, feedLinkId, feedBankAccountId, bankAccountId }
}
