import type { Bound } from '@coffer/kit/database/account-bound.sql'
import { say } from '@coffer/kit/reasons/reasons'
import type { ValuesOf } from '@coffer/kit/service/config'
import { sql } from 'slonik'
import type { settings } from '../config.ts'

/** The settings that limit the number of objects in an account (docs/limits.md). */
export type Bounds = Pick<
  ValuesOf<typeof settings>,
  'linksMax' | 'bankAccountsMax' | 'envelopesMax' | 'mappingsMax' | 'uploadsMax'
>

export function linkBound({ linksMax: max }: Bounds, accountId: string): Bound {
  return {
    scope: `links ${accountId}`,
    rows: sql.fragment`
      SELECT FROM links WHERE account_id = ${accountId} AND deleted_at IS NULL`,
    max,
    refusal: say('LINKS_MAX', { max }),
  }
}

/** Returns the bound on bank accounts; archived ones count until their link is deleted. */
export function bankAccountBound({ bankAccountsMax: max }: Bounds, accountId: string): Bound {
  return {
    scope: `bank_accounts ${accountId}`,
    rows: sql.fragment`
      SELECT FROM bank_accounts WHERE account_id = ${accountId} AND removed_at IS NULL`,
    max,
    refusal: say('BANK_ACCOUNTS_MAX', { max }),
  }
}

export function mappingBound({ mappingsMax: max }: Bounds, accountId: string): Bound {
  return {
    scope: `transaction_import_mappings ${accountId}`,
    rows: sql.fragment`
      SELECT FROM transaction_import_mappings
      WHERE account_id = ${accountId} AND deleted_at IS NULL`,
    max,
    refusal: say('MAPPINGS_MAX', { max }),
  }
}

/** Returns the bound on unfinished uploads; the uploads of a group count as one. */
export function uploadBound({ uploadsMax: max }: Bounds, accountId: string): Bound {
  return {
    scope: `uploads ${accountId}`,
    rows: sql.fragment`
      SELECT DISTINCT coalesce(upload_group_id, transaction_upload_id) FROM uploads
      WHERE account_id = ${accountId} AND status NOT IN ('complete', 'failed')`,
    max,
    refusal: say('UPLOADS_MAX', { max }),
  }
}
