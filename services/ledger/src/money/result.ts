import { toMessage } from '@coffer/kit/rpc/message'
import { BalancesSchema } from '@coffer/proto/ledger/v1/bank_account'
import { EnvelopeSchema } from '@coffer/proto/ledger/v1/envelope'
import { balancesOf } from '../accounts/bank-account.ts'
import type { Settlement } from './book.ts'

/** The reply to a change of money: the balances, and the changed envelopes in their order. */
export function resultOf({ bankAccount, envelopes }: Settlement) {
  return {
    balance: toMessage(BalancesSchema, balancesOf(bankAccount)),
    envelopes: envelopes.map((envelope) => toMessage(EnvelopeSchema, envelope)),
  }
}
