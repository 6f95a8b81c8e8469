import type { BankAccount } from '../../api/account-queries.ts'
import { coffer } from '../../api/client.ts'
import { changesOf, type Saved, updateAsRead } from '../../controls/saving/as-read.ts'
import type { States } from '../../controls/saving/saving.tsx'
import { isDebt } from '../../format/debts.ts'
import { accountWords as words } from '../../words/accounts.ts'
import { sideOf } from './side-field.tsx'

/** Fields as the user enters them; amounts in minor units. */
export type Stated = Pick<BankAccount, 'name' | 'mask' | 'currentBalance' | 'limitBalance'>

/** Updates a bank account, unless others have changed the same fields since it was seen. */
export function saveAccount(
  wanted: Stated,
  { shown, seen }: States<BankAccount>,
): Promise<Saved<BankAccount>> {
  const path = { bankAccountId: shown.bankAccountId }
  return updateAsRead({
    seen,
    body: bodyOf(changesOf<Stated>(wanted, shown), seen),
    read: () => coffer.getBankAccount({ path }),
    update: (body, condition) => coffer.updateBankAccount({ path, body, ...condition }),
  })
}

/**
 * Returns the body of the update. The available balance, and a card's available credit, change by
 * as much as the current balance, so that pending payments stay deducted.
 */
function bodyOf(changes: Partial<Stated>, seen: BankAccount) {
  const { currentBalance = seen.currentBalance, limitBalance = seen.limitBalance } = changes
  const moved = currentBalance - seen.currentBalance + limitBalance - seen.limitBalance
  return {
    ...changes,
    ...(moved === 0 ? {} : { availableBalance: seen.availableBalance + moved }),
  }
}

/** Returns label and text of a field of a bank account, as the form shows it. */
export function fieldText(
  field: string,
  account: BankAccount,
  money: (amount: number) => string,
): [label: string, text: string] {
  const { name, mask, currentBalance, availableBalance, limitBalance } = account
  const isOfDebt = isDebt(account)
  const texts: Record<string, [label: string, text: string]> = {
    mask: [words.mask, mask ?? '–'],
    currentBalance: [
      isOfDebt ? words[sideOf(account)] : words.postedBalance,
      money(isOfDebt ? Math.abs(currentBalance) : currentBalance),
    ],
    availableBalance: [words.balance, money(availableBalance)],
    limitBalance: [words.limit, money(limitBalance)],
  }
  return texts[field] ?? [words.name, name]
}
