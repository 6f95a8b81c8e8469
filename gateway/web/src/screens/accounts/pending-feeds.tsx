import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { pendingFeedsQuery } from '../../api/account-queries.ts'
import { coffer } from '../../api/client.ts'
import { Button } from '../../controls/button.tsx'
import { Confirmation } from '../../controls/confirmation.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { formatInstant } from '../../format/days.ts'
import { useReader } from '../../shell/chosen-account.ts'
import { accountWords as words } from '../../words/accounts.ts'

/** Feed connections whose bank accounts are still to be chosen. */
export function PendingFeeds() {
  const { data: pending = [] } = useQuery(pendingFeedsQuery)
  const reader = useReader()
  const [asked, setAsked] = useState<(typeof pending)[number] | null>(null)
  return (
    <>
      {pending.map((one) => (
        <Card
          key={one.feedLinkId}
          title={one.name}
          aside={<span className={rows.soft}>{words.kinds.feed}</span>}
        >
          <p>{words.pendingFeed({ at: formatInstant(one.createdAt, reader) })}</p>
          <div className={rows.toolbar}>
            <Link
              to="/links/feed"
              search={{ feedLinkId: one.feedLinkId }}
              className={rows.action}
              aria-label={words.goOnOf({ name: one.name })}
            >
              {words.goOn}
            </Link>
            <Button kind="danger" onClick={() => setAsked(one)}>
              {words.remove}
            </Button>
          </div>
        </Card>
      ))}
      {asked && (
        <Confirmation
          title={words.removeTitle({ name: asked.name })}
          action={words.remove}
          change={() => removeFeed(asked.feedLinkId, asked.name)}
          onClose={() => setAsked(null)}
        >
          {words.removePending}
        </Confirmation>
      )}
    </>
  )
}

/** Ends a connection with the link over it, as the API deletes none without a link. */
async function removeFeed(feedLinkId: string, institutionName: string): Promise<void> {
  const { linkId } = (await coffer.createLink({ body: { institutionName, feedLinkId } })).data
  await coffer.deleteLink({ path: { linkId } })
}
