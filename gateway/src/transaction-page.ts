import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import {
  type ListTransactionsRequestSchema,
  TransactionSchema,
  type TransactionService,
} from '@coffer/proto/ledger/v1/transaction'
import type { Client } from '@connectrpc/connect'
import { linkToNext } from './cursor.ts'
import type { KeptAnswers } from './kept-answers.ts'
import { listed } from './rest.ts'
import type { Call } from './route.ts'

/** A page of transactions, with a Link header that leads to the next one where there may be one. */
export function transactionsOf(
  { ledger, kept }: { ledger: Client<typeof TransactionService>; kept: KeptAnswers },
  page: MessageInitShape<typeof ListTransactionsRequestSchema>,
  call: Pick<Call, 'accountId' | 'options' | 'request' | 'reply'>,
) {
  return kept.answer(call, async (known) => {
    const reply = await ledger.listTransactions({ ...page, ...known }, call.options)
    const { isUnchanged, version, transactions, next } = reply
    if (isUnchanged) return { isUnchanged }
    const place = next?.date && [timestampDate(next.date).toISOString(), next.transactionId]
    const link = place && linkToNext(call.request.url, place)
    return { isUnchanged, version, body: listed(TransactionSchema, transactions), link }
  })
}
