import { requireRoom } from '@coffer/kit/database/account-bound.sql'
import { say } from '@coffer/kit/reasons/reasons'
import { aggregatorAddresses } from '../config.ts'
import { aggregatorLinkBound } from '../connections/aggregator-link.sql.ts'
import { type LinkDeps, refuseFault } from '../connections/upstream-call.service.ts'
import type { CallBy } from '../provider/aggregator.ts'
import { admitRequest } from '../provider/request-limit.sql.ts'
import { findLinkToken, saveLinkToken, type UserKey } from './link-token.sql.ts'

/** The user's data that is sent to the aggregator. */
export interface LinkUser {
  legalName: string
  email: string
  emailVerifiedAt: Date | null
}

// Minimum remaining validity in ms of a cached token: the user needs time to open Plaid Link.
const marginMs = 60_000

/** Returns the bounds on an account's links: of the server, and of a trial. */
export function linkBounds(
  { config }: Pick<LinkDeps, 'config'>,
  { accountId, isTrialing }: { accountId: string; isTrialing: boolean },
) {
  const { aggregatorLinksMax: max } = config
  const full = say('PLAID_LINKS_MAX', { max })
  const trial = say('PLAID_TRIAL')
  return [
    ...(max > 0 ? [aggregatorLinkBound(accountId, { max, refusal: full })] : []),
    ...(isTrialing ? [aggregatorLinkBound(accountId, { max: 1, refusal: trial })] : []),
  ]
}

/**
 * Returns a link token for Plaid Link (docs/banks/aggregator.md#links); with `isCacheUsed` the last
 * unused one of the user. Throws refused (400) at the maximum of links (one in a trial), refused
 * (429) beyond the account's limit, and refused (500) if the aggregator fails.
 */
export async function createLinkToken(
  deps: LinkDeps,
  of: UserKey & { user: LinkUser; isTrialing: boolean; isCacheUsed: boolean },
  by: CallBy,
): Promise<string> {
  const { database, secrets, clock } = deps
  for (const bound of linkBounds(deps, of)) await requireRoom(database, bound)
  if (of.isCacheUsed) {
    const after = new Date(clock().getTime() + marginMs)
    const cached = await findLinkToken(database, of, after)
    if (cached) return secrets.open(cached, ownerOf(of))
  }
  await admitRequest(database, { ...of, kind: 'link tokens', now: clock() })
  const { webhookUrl } = aggregatorAddresses(deps.config)
  const request = { kind: 'new' as const, userId: of.userId, ...of.user, webhookUrl }
  const aggregator = await deps.openAggregator()
  const created = await aggregator
    .createLinkToken(request, by)
    .catch((error) => refuseFault('PLAID_START_FAILED', error))
  await keepLinkToken(deps, of, created)
  return created.linkToken
}

/**
 * Caches a link token for the user's next request. A failure is only logged, because that request
 * then creates a new one.
 */
async function keepLinkToken(
  { database, secrets, log }: LinkDeps,
  { accountId, userId }: UserKey,
  { linkToken, expiresAt }: { linkToken: string; expiresAt: Date },
): Promise<void> {
  try {
    const sealed = await secrets.seal(linkToken, ownerOf({ accountId, userId }))
    await saveLinkToken(database, { accountId, userId }, { ...sealed, expiresAt })
  } catch (error) {
    log.warn({ err: error }, 'a link token was not stored')
  }
}

function ownerOf({ accountId, userId }: UserKey): string {
  return `${accountId}/${userId}`
}
