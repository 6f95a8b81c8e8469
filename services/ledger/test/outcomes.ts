import { problemsOf } from '@coffer/kit/rpc/errors'
import { ConnectError } from '@connectrpc/connect'
import type { Household } from './household.ts'

/** The first hundred transactions of a household, newest first. */
export async function listed({ transactions, bankAccountId, as }: Household) {
  const page = { bankAccountId, limit: 100, offset: 0 }
  return (await transactions.listTransactions(page, as)).transactions
}

/** The `problems` of a request that must fail; any other error as it is. */
export async function problems(request: Promise<unknown>) {
  const error = await request.then(
    () => undefined,
    (fault: unknown) => fault,
  )
  return error instanceof ConnectError ? problemsOf(error) : error
}
