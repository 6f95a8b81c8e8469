import { create } from '@bufbuild/protobuf'
import {
  type DataCursor,
  type ReadAccountDataRequest,
  ReadAccountDataRequestSchema,
  type ReadAccountDataResponse,
} from '@coffer/proto/data/v1/account_data'

/** Every service that keeps something of an account. */
const services = ['identity', 'ledger', 'budgeting', 'aggregator-sync', 'feed-sync']

/** Asks a service for a page. */
export type ReadPage = (request: ReadAccountDataRequest) => Promise<ReadAccountDataResponse>

/**
 * The text of an export: one JSON object, with the head, then for each service its tables with
 * their rows, and `"complete": true` at the end. A page is asked for when the one before it is
 * taken: there is never more than one in memory.
 */
export async function* exportText(head: object, read: ReadPage): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"services":{`
  for (const [index, service] of services.entries()) {
    yield `${index === 0 ? '' : ','}${JSON.stringify(service)}:{`
    yield* tablesText(service, read)
    yield '}'
  }
  yield '},"complete":true}\n'
}

async function* tablesText(service: string, read: ReadPage): AsyncGenerator<string> {
  let from: DataCursor | undefined
  let open = ''
  let isFirstRow = true
  do {
    const request = create(ReadAccountDataRequestSchema, { service, ...(from ? { from } : {}) })
    const { table, rows, next } = await read(request)
    if (table !== open) {
      yield `${open === '' ? '' : '],'}${JSON.stringify(table)}:[`
      isFirstRow = true
    }
    open = table
    if (rows.length > 0) yield `${isFirstRow ? '' : ','}${rows.join(',')}`
    isFirstRow = isFirstRow && rows.length === 0
    from = next
  } while (from)
  yield ']'
}
