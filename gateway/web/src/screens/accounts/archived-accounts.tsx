import { useQuery } from '@tanstack/react-query'
import { archivedAccountsQuery, type BankAccount } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { showNote } from '../../api/notes.ts'
import { Amount } from '../../controls/amount.tsx'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { useReader } from '../../shell/chosen-account.ts'
import { accountWords as words } from '../../words/accounts.ts'

/** The archived bank accounts of a connection, collapsed; nothing without any. */
export function ArchivedAccounts({ linkId }: { linkId: string }) {
  const { data: archived = [] } = useQuery(archivedAccountsQuery(linkId))
  if (archived.length === 0) return null
  return (
    <details>
      <summary className={rows.soft}>{words.archived({ count: archived.length })}</summary>
      <ul className={rows.rows}>
        {archived.map((one) => (
          <Archived key={one.bankAccountId} account={one} />
        ))}
      </ul>
    </details>
  )
}

function Archived({ account }: { account: BankAccount }) {
  const { bankAccountId, name, mask, currency, currentBalance } = account
  const { locale } = useReader()
  const { send, isSending, fault } = useChange(() =>
    coffer.restoreBankAccount({ path: { bankAccountId }, body: {} }),
  )
  return (
    <li className={rows.row}>
      <div>
        <p className={rows.name}>
          {name} <span className={rows.soft}>{mask && `·${mask}`}</span>
        </p>
        <p className={rows.soft}>
          <Amount amount={currentBalance} manner={{ locale, currency }} />
        </p>
        {fault && <FaultBanner fault={fault} />}
      </div>
      <Button
        aria-label={words.restoreOf({ name })}
        isBusy={isSending}
        onClick={() => send(undefined, () => showNote({ text: words.restored({ name }) }))}
      >
        {words.restore}
      </Button>
    </li>
  )
}
