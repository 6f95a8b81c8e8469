import { say } from '@coffer/kit/reasons/reasons'
import { type BankAccount, isCredit } from '../book/bank-account.ts'

/**
 * Returns hints (docs/api.md#hints) for the user who has created or changed a bank account;
 * `before` is null for a new one.
 */
export function bankAccountHints(before: BankAccount | null, after: BankAccount): string[] {
  const isStated =
    before === null ||
    before.currentBalance !== after.currentBalance ||
    before.accountType !== after.accountType
  const isHeld = after.linkType === 'manual' && isCredit(after) && after.currentBalance > 0n
  const converts = before !== null && before.currency !== after.currency
  return [
    ...(isStated && isHeld ? [say('POSITIVE_DEBT')] : []),
    ...(converts ? [say('NOT_CONVERTED')] : []),
  ]
}
