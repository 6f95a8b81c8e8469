import { toMessage } from '@coffer/kit/rpc/message'
import {
  AggregatorBankAccountSchema,
  type BankAccount as BankAccountMessage,
  BankAccountSchema,
} from '@coffer/proto/ledger/v1/bank_account'
import type { BankAccount } from '../book/bank-account.ts'
import type { AccountRecord } from '../book/provider-record.ts'

/** Returns the message of a bank account, on an aggregator link with the provider's record. */
export function renderBankAccount(
  bankAccount: BankAccount,
  record: AccountRecord | undefined,
): BankAccountMessage {
  const shown = bankAccount.linkType === 'aggregator' ? record : undefined
  const aggregatorBankAccount = shown ? toMessage(AggregatorBankAccountSchema, shown) : null
  return toMessage(BankAccountSchema, { ...bankAccount, aggregatorBankAccount })
}
