import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import {
  type ListTransactionsRequestSchema,
  TransactionSchema,
  type TransactionService,
} from '@coffer/proto/ledger/v1/transaction'
import type { Client } from '@connectrpc/connect'
import { linkToNext } from '../http/cursor.ts'
import { renderedAll } from '../http/rest.ts'
import type { Call } from '../http/route.ts'

/** A page of transactions, with a Link header that leads to the next one where there may be one. */
export async function transactionsOf(
  ledger: Client<typeof TransactionService>,
  page: MessageInitShape<typeof ListTransactionsRequestSchema>,
  { options, request, reply }: Pick<Call, 'options' | 'request' | 'reply'>,
): Promise<JsonObject[]> {
  const { transactions, next } = await ledger.listTransactions(page, options)
  if (next?.date) {
    const place = [timestampDate(next.date).toISOString(), next.transactionId]
    reply.header('link', linkToNext(request.url, place))
  }
  return renderedAll(TransactionSchema, transactions)
}
