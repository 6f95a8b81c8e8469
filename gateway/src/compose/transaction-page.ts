import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { Mesh } from '@coffer/kit/rpc/mesh'
import { BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import {
  type ListTransactionsRequestSchema,
  type Transaction,
  TransactionService,
} from '@coffer/proto/ledger/v1/transaction'
import { valuesOf } from '../http/bodies/update.ts'
import type { VersionTag } from '../http/conditional-request.ts'
import { nextPageLink } from '../http/queries/cursor.ts'
import type { Call, Lookup } from '../http/route.ts'

/** A request for a page; two filters have their names in URLs, which differ from the message. */
type Page = MessageInitShape<typeof ListTransactionsRequestSchema> & {
  amount_from?: bigint
  amount_to?: bigint
}

/** Returns the functions that list transactions, of a bank account or of an envelope. */
export function createTransactionLists({
  mesh,
  versionTag,
}: {
  mesh: Mesh
  versionTag: VersionTag
}) {
  const ledger = mesh.client('ledger', TransactionService)
  const accounts = mesh.client('ledger', BankAccountService)
  return {
    /** Lists a page; sets its entity tag, and a Link header if another page may follow. */
    page: async (
      { amount_from: amountFrom, amount_to: amountTo, ...page }: Page,
      { options, request, reply }: Pick<Call, 'options' | 'request' | 'reply'>,
    ): Promise<Transaction[]> => {
      const wanted = { ...page, ...valuesOf({ amountFrom, amountTo }) }
      const { transactions, next, version } = await ledger.listTransactions(wanted, options)
      reply.headers(versionTag(version, request))
      if (next?.date) {
        const position = [timestampDate(next.date).toISOString(), next.transactionId]
        reply.header('link', nextPageLink(request.url, position))
      }
      return transactions
    },
    /** Returns the version of the bank account, which every change of its transactions raises. */
    versionOf: async ({
      params: { bankAccountId },
      options,
    }: Lookup<{ bankAccountId: string }>): Promise<bigint> => {
      const { version } = await accounts.describeBankAccount({ bankAccountId }, options)
      return version
    },
  }
}
