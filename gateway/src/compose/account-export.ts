import { create } from '@bufbuild/protobuf'
import {
  type DataCursor,
  type ReadAccountDataRequest,
  ReadAccountDataRequestSchema,
  type ReadAccountDataResponse,
} from '@coffer/proto/data/v1/account_data'

/** All services with data of an account. */
const services = ['identity', 'ledger', 'budgeting', 'aggregator-sync', 'feed-sync', 'notices']

/** Reads a page of an account's rows from the service that the request names. */
export type ReadPage = (request: ReadAccountDataRequest) => Promise<ReadAccountDataResponse>

/**
 * Streams an export as one JSON object: the head, the rows by service and table, and
 * `"complete": true` at the end (docs/account-data.md#export). Backpressure: the next page is read
 * only after the client has taken the page before it.
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
