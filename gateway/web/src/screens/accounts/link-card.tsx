import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type BankAccount, type Link, linkHealthQuery } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { Button } from '../../controls/button.tsx'
import { Dialog } from '../../controls/dialog.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { formatInstant } from '../../format/days.ts'
import { useReader } from '../../shell/chosen-account.ts'
import { accountWords as words } from '../../words/accounts.ts'
import { AccountRow } from './account-row.tsx'

interface Props {
  link: Link
  accounts: BankAccount[]
}

/** A connection: its health in words, a sync, its bank accounts. */
export function LinkCard({ link, accounts }: Props) {
  const { linkId, linkType, institutionName, description } = link
  const [isAsked, setAsked] = useState(false)
  return (
    <Card
      title={institutionName}
      aside={<span className={rows.soft}>{words.kinds[linkType]}</span>}
    >
      {description && <p className={rows.soft}>{description}</p>}
      {linkType !== 'manual' && <Health linkId={linkId} linkType={linkType} />}
      <ul className={rows.rows}>
        {accounts.map((one) => (
          <AccountRow key={one.bankAccountId} account={one} />
        ))}
      </ul>
      <div className={rows.toolbar}>
        <Button kind="danger" onClick={() => setAsked(true)}>
          {words.remove}
        </Button>
      </div>
      {isAsked && <Remove link={link} accounts={accounts} onClose={() => setAsked(false)} />}
    </Card>
  )
}

function Health({ linkId, linkType }: Pick<Link, 'linkId' | 'linkType'>) {
  const reader = useReader()
  const { data: health } = useQuery(linkHealthQuery(linkId))
  const { send, isSending, fault } = useChange(() =>
    linkType === 'feed'
      ? coffer.syncFeedLink({ body: { linkId } })
      : coffer.syncAggregatorLink({ body: { linkId } }),
  )
  const [isStarted, setStarted] = useState(false)
  return (
    <>
      {fault && <FaultBanner fault={fault} />}
      <p>
        {words.statuses[health?.status ?? 'none']}
        {health?.lastSuccess && `. ${words.lastSuccess(formatInstant(health.lastSuccess, reader))}`}
      </p>
      {health?.lastError && (
        <p>
          {health.lastError.text} {health.lastError.advice}
        </p>
      )}
      <div className={rows.toolbar}>
        <Button
          isBusy={isSending || health?.isSyncing}
          onClick={() => send(undefined, () => setStarted(true))}
        >
          {words.sync}
        </Button>
        {isStarted && <p role="status">{words.synced}</p>}
      </div>
    </>
  )
}

function Remove({ link, accounts, onClose }: Props & { onClose: () => void }) {
  const { linkId, institutionName } = link
  const { locale } = useReader()
  const { send, isSending, fault } = useChange(() => coffer.deleteLink({ path: { linkId } }))
  const names = new Intl.ListFormat(locale).format(accounts.map(({ name }) => name))
  return (
    <Dialog title={words.removeTitle(institutionName)} isOpen onClose={onClose}>
      {fault && <FaultBanner fault={fault} />}
      <p>{names ? words.removeText(names) : words.removeEmpty}</p>
      <div className={rows.toolbar}>
        <Button kind="danger" isBusy={isSending} onClick={() => send(undefined, onClose)}>
          {words.remove}
        </Button>
        <Button onClick={onClose}>{words.cancel}</Button>
      </div>
    </Dialog>
  )
}
