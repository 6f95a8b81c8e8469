import type { Database } from '@coffer/kit/database/database'
import { invalid, unauthenticated, unavailable } from '@coffer/kit/rpc/errors'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDefinition } from '@coffer/kit/service/service'
import type { AccountDataService } from '@coffer/proto/data/v1/account_data'
import type { ServiceImpl } from '@connectrpc/connect'
import { findShownTables, readRows } from './account-data.sql.ts'
import { camelCase } from './account-tables.ts'

const pageSize = 500

/** A hosted service, and its database, whose rows are exported. */
type DataSource = Pick<ServiceDefinition, 'name' | 'hidden'> & { database: Database }

/**
 * Returns the RPC that exports the rows of an account in pages
 * (docs/account-data.md#export). Reads tables and columns from the database schema, so that an
 * added table or column is exported without further code.
 */
export function accountData(
  sources: readonly DataSource[],
): ServiceImpl<typeof AccountDataService> {
  return {
    readAccountData: async ({ service, from }, context) => {
      const { accountId, kind } = callerOf(context)
      if (kind !== 'session') throw unauthenticated('SESSION_REQUIRED')
      const source = sources.find(({ name }) => name === service)
      if (!source) throw unavailable(`${service} is not here`)
      // Read for each page, because a newer release may drop a table while this process runs.
      const tables = await findShownTables(source.database, source.hidden ?? [])
      const index = from ? tables.findIndex(({ table }) => table === from.table) : 0
      const table = tables[index]
      if (!table)
        throw invalid({
          from: 'names no table of this service: pass the cursor of the last page',
        })
      const after = from?.key ?? []
      const page = { from: table, after, limit: pageSize }
      const rows = await readRows(source.database, accountId, page)
      const last = rows.length === pageSize ? rows.at(-1) : undefined
      const following = tables[index + 1]
      const next = last
        ? { table: table.table, key: last.key }
        : following && { table: following.table, key: [] }
      const texts = rows.map(({ row }) => row)
      return { table: camelCase(table.table), rows: texts, ...(next ? { next } : {}) }
    },
  }
}
