import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { archivedAccountsQuery, type BankAccount, type Link } from '../../api/account-queries.ts'
import { coffer } from '../../api/client.ts'
import { Button } from '../../controls/button.tsx'
import { Confirmation } from '../../controls/confirmation.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { useReader } from '../../shell/chosen-account.ts'
import { useLinkNames } from '../../shell/distinct-names.ts'
import { accountWords as words } from '../../words/accounts.ts'
import { AccountRow } from './account-row.tsx'
import { ArchivedAccounts } from './archived-accounts.tsx'
import { EditLink } from './edit-link.tsx'
import { LinkHealth } from './link-health.tsx'

interface Props {
  link: Link
  accounts: BankAccount[]
}

/** A connection: its health, a button that syncs, and its bank accounts. */
export function LinkCard({ link, accounts }: Props) {
  const { linkType, institutionName, description } = link
  const bank = useLinkNames().get(link.linkId) ?? institutionName
  const [open, setOpen] = useState<'edit' | 'remove' | null>(null)
  const close = () => setOpen(null)
  return (
    <Card title={bank} aside={<span className={rows.soft}>{words.kinds[linkType]}</span>}>
      {description && <p className={rows.soft}>{description}</p>}
      {(linkType === 'feed' || linkType === 'aggregator') && <LinkHealth link={link} />}
      <ul className={rows.rows}>
        {accounts.map((one) => (
          <AccountRow key={one.bankAccountId} account={one} isByHand={linkType === 'manual'} />
        ))}
      </ul>
      <ArchivedAccounts linkId={link.linkId} />
      <div className={rows.toolbar}>
        <Button aria-label={words.editLinkOf({ name: bank })} onClick={() => setOpen('edit')}>
          {words.editLink}
        </Button>
        <Button kind="danger" onClick={() => setOpen('remove')}>
          {removeText(linkType)}
        </Button>
      </div>
      {open === 'edit' && <EditLink link={link} title={bank} onClose={close} />}
      {open === 'remove' && <Remove link={link} title={bank} accounts={accounts} onClose={close} />}
    </Card>
  )
}

function Remove({
  link,
  title,
  accounts,
  onClose,
}: Props & { title: string; onClose: () => void }) {
  const { linkId, linkType } = link
  const { language } = useReader()
  const { data: archived = [] } = useQuery(archivedAccountsQuery(linkId))
  const all = [...accounts, ...archived].map(({ name }) => name)
  const names = new Intl.ListFormat(language).format(all)
  return (
    <Confirmation
      title={words.removeTitle({ name: title })}
      action={removeText(linkType)}
      change={() => coffer.deleteLink({ path: { linkId } })}
      onClose={onClose}
    >
      {names ? words.removeText({ accounts: names, count: all.length }) : words.removeEmpty}
      {linkType !== 'manual' && ` ${words.removeAtBank}`}
    </Confirmation>
  )
}

/**
 * Returns the text of the button that removes a connection. Manual accounts have no connection to a
 * bank, so their button has another text.
 */
function removeText(linkType: Link['linkType']): string {
  return linkType === 'manual' ? words.removeByHand : words.remove
}
