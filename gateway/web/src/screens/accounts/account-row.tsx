import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { BankAccount } from '../../api/account-queries.ts'
import { coffer } from '../../api/client.ts'
import { Amount } from '../../controls/amount.tsx'
import buttons from '../../controls/button.module.css'
import { Button } from '../../controls/button.tsx'
import { Confirmation } from '../../controls/confirmation.tsx'
import rows from '../../controls/rows.module.css'
import { isDebt } from '../../format/debts.ts'
import { useManner } from '../../shell/chosen-account.ts'
import { editOf, useOpenedForm } from '../../shell/opened-form.ts'
import { accountWords as words } from '../../words/accounts.ts'
import { historyWords } from '../../words/history.ts'
import { EditAccount } from './edit-account.tsx'

interface Props {
  account: BankAccount
  /** Whether the user enters the balance; otherwise it comes from the bank. */
  isByHand: boolean
}

interface AskedProps extends Pick<Props, 'account'> {
  onClose: () => void
}

/** A bank account in the list, with its balance, and buttons to edit and to archive it. */
export function AccountRow({ account, isByHand }: Props) {
  const { bankAccountId, name, mask, availableBalance, currentBalance } = account
  const manner = useManner(bankAccountId)
  const [isEdited, setEdited] = useOpenedForm(editOf(bankAccountId))
  const [isArchived, setArchived] = useState(false)
  const isOfDebt = isDebt(account)
  const debt = currentBalance > 0 ? words.inCredit : words.owed
  return (
    <li className={`${rows.row} ${rows.folded}`}>
      <div>
        <Link data-line to="/" search={{ account: bankAccountId }}>
          {name}
        </Link>{' '}
        <span className={rows.soft}>{mask && `·${mask}`}</span>
      </div>
      <div className={rows.figures}>
        <p className={rows.name}>
          <Amount amount={isOfDebt ? Math.abs(currentBalance) : availableBalance} manner={manner} />
        </p>
        <p className={rows.soft}>{isOfDebt ? debt : words.balance}</p>
      </div>
      <div className={rows.toolbar}>
        <Button kind="quiet" aria-label={words.editOf({ name })} onClick={() => setEdited(true)}>
          {words.edit}
        </Button>
        <Button
          kind="quiet"
          aria-label={words.archiveOf({ name })}
          onClick={() => setArchived(true)}
        >
          {words.archive}
        </Button>
        <Link
          to="/history"
          search={{ account: bankAccountId }}
          aria-label={historyWords.of({ name })}
          className={`${buttons.button} ${buttons.quiet}`}
        >
          {historyWords.title}
        </Link>
      </div>
      {isEdited && (
        <EditAccount account={account} isByHand={isByHand} onClose={() => setEdited(false)} />
      )}
      {isArchived && <Archive account={account} onClose={() => setArchived(false)} />}
    </li>
  )
}

function Archive({ account: { bankAccountId, name }, onClose }: AskedProps) {
  return (
    <Confirmation
      title={words.archiveTitle({ name })}
      action={words.archive}
      change={() => coffer.archiveBankAccount({ path: { bankAccountId } })}
      onClose={onClose}
    >
      {words.archiveText}
    </Confirmation>
  )
}
