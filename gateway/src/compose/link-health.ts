import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { Mesh } from '@coffer/kit/rpc/mesh'
import type { Link } from '@coffer/proto/ledger/v1/link'
import { SyncErrorSchema, type SyncHealth, SyncHealthSchema } from '@coffer/proto/sync/v1/health'
import { type CallOptions, Code, ConnectError } from '@connectrpc/connect'
import { createSyncHealths } from './sync-health.ts'

/** Settings that enable syncs, by the type of the link. */
const switches = {
  feed: 'COFFER_FEED_ENABLED=true (npm start -- --try-feed does it for the simulated feed)',
  aggregator:
    'COFFER_AGGREGATOR_ENABLED=true (npm start -- --try-aggregator does it for the simulated one)',
}

/** Marks the syncs of a deleted link as ended: their service may not know of the deletion yet. */
function endWith({ deletedAt }: Link, health: SyncHealth): SyncHealth {
  if (!deletedAt) return health
  const { nextAttempt: _, ...rest } = health
  return { ...rest, status: 'deactivated' }
}

interface HealthDeps {
  mesh: Mesh
  config: { feedEnabled: boolean; aggregatorEnabled: boolean }
  clock: () => Date
}

/** Gets the health of a link; its status is `none` if the link has no syncs. */
export type GetLinkHealth = (link: Link, options: CallOptions) => Promise<SyncHealth>

/**
 * Returns a function that gets the health of a link from the service of its syncs
 * (docs/links.md#health).
 */
export function createGetLinkHealth({ mesh, config, clock }: HealthDeps): GetLinkHealth {
  const healths = createSyncHealths(mesh)

  function readHealth({ linkId, linkType, feedLinkId }: Link, options: CallOptions) {
    if (linkType === 'aggregator') return healths.ofAggregator(linkId, options)
    return feedLinkId === undefined ? null : healths.ofFeed(feedLinkId, options)
  }

  /** Returns the health of a link from the service of its syncs; null if the link has none. */
  async function findHealth(link: Link, options: CallOptions): Promise<SyncHealth | null> {
    try {
      const read = await readHealth(link, options)
      return read && explainSwitch(endWith(link, read), link)
    } catch (error) {
      if (ConnectError.from(error).code === Code.NotFound) return null
      throw error
    }
  }

  /** Adds to the health of a live connection that syncs are disabled on this server. */
  function explainSwitch(health: SyncHealth, { linkType }: Link): SyncHealth {
    const type = linkType === 'aggregator' ? 'aggregator' : 'feed'
    if (config[`${type}Enabled`] || health.status === 'deactivated') return health
    const { nextAttempt: _, ...rest } = health
    const lastError = create(SyncErrorSchema, {
      code: 'switched-off',
      text: 'this server does not sync links of this type: the integration is switched off',
      advice: `Ask the operator of the server to set ${switches[type]} and to restart it.`,
      at: timestampFromDate(clock()),
    })
    return { ...rest, lastError }
  }

  return async (link, options) => {
    const health = await findHealth(link, options)
    const { linkId, linkType } = link
    return { ...(health ?? create(SyncHealthSchema, { status: 'none' })), linkId, linkType }
  }
}
