import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { linkHealthQuery, type Link as Subject } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { basePath } from '../../base-path.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import { faultText, LinkStep } from '../../controls/link-step.tsx'
import rows from '../../controls/rows.module.css'
import { formatInstant } from '../../format/days.ts'
import { useReader } from '../../shell/chosen-account.ts'
import { accountWords as words } from '../../words/accounts.ts'

const workingMs = 1_000

/**
 * The health of a connection, the step that repairs it, and a button that syncs, with the progress.
 */
export function LinkHealth({ link }: { link: Subject }) {
  const { linkId, linkType, aggregatorLink, feedLinkId } = link
  const reader = useReader()
  /**
   * Time of the last sync when the user requested another one: while `lastAttempt` is the same, the
   * requested sync has not ended. Undefined if none was requested.
   */
  const [before, setBefore] = useState<string | null | undefined>(undefined)
  const { data: health } = useQuery({
    ...linkHealthQuery(linkId),
    ...(before === undefined ? {} : { refetchInterval: workingMs }),
  })
  const { send, isSending, fault } = useChange(() =>
    linkType === 'feed'
      ? coffer.syncFeedLink({ body: { linkId } })
      : coffer.syncAggregatorLink({ body: { linkId } }),
  )
  if (health === undefined) return null
  const { status, isSyncing, lastAttempt, lastSuccess, lastError, lastArrival } = health
  const isWaiting = before !== undefined && before === lastAttempt
  const isBusy = isSending || isSyncing || isWaiting
  return (
    <>
      {fault && <FaultBanner fault={fault} />}
      <p>
        {words.statuses[status]}
        {lastSuccess && `. ${words.lastSuccess({ at: formatInstant(lastSuccess, reader) })}`}
      </p>
      {lastError && <p>{faultText(health)}</p>}
      <LinkStep health={health} />
      {aggregatorLink?.newAccountsAvailable && <p>{words.newAccounts}</p>}
      <div className={rows.toolbar}>
        <Button
          isBusy={isBusy}
          onClick={() => send(undefined, () => setBefore(health.lastAttempt))}
        >
          {words.sync}
        </Button>
        {linkType === 'aggregator' && (
          <a href={`${basePath}links/connect?link=${linkId}&accounts=1`}>{words.chooseAccounts}</a>
        )}
        {linkType === 'feed' && feedLinkId && status !== 'deactivated' && (
          <Link to="/links/feed" search={{ feedLinkId }}>
            {words.chooseAccounts}
          </Link>
        )}
        <p role="status" className={rows.soft}>
          {isBusy && words.syncing}
          {before !== undefined &&
            !isBusy &&
            !lastError &&
            words.arrived({ count: lastArrival?.added ?? 0 })}
        </p>
      </div>
    </>
  )
}
