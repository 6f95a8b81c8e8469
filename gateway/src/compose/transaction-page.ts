import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import type {
  ListTransactionsRequestSchema,
  Transaction,
  TransactionService,
} from '@coffer/proto/ledger/v1/transaction'
import type { Client } from '@connectrpc/connect'
import { nextPageLink } from '../http/cursor.ts'
import type { Call } from '../http/route.ts'

/** Lists a page of transactions; sets the Link header if a next page may follow. */
export async function listTransactionPage(
  ledger: Client<typeof TransactionService>,
  page: MessageInitShape<typeof ListTransactionsRequestSchema>,
  { options, request, reply }: Pick<Call, 'options' | 'request' | 'reply'>,
): Promise<Transaction[]> {
  const { transactions, next } = await ledger.listTransactions(page, options)
  if (next?.date) {
    const position = [timestampDate(next.date).toISOString(), next.transactionId]
    reply.header('link', nextPageLink(request.url, position))
  }
  return transactions
}
