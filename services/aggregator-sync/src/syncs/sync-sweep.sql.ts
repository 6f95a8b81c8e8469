import type { SweptLinks } from '@coffer/sync-kit/swept-links.sql'
import { sql } from 'slonik'
import { LinkKey } from '../connections/aggregator-link.ts'

/** The links that the schedule starts: of a revoked one only requested syncs. */
export const sweptLinks: SweptLinks<LinkKey> = {
  table: 'aggregator_links',
  key: LinkKey,
  primaryKey: ['accountId', 'linkId'],
  isScheduled: sql.fragment`status NOT IN ('creating', 'revoked')`,
  isRequestable: sql.fragment`status NOT IN ('creating', 'deactivated')`,
}
