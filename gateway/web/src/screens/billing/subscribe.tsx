import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { configQuery, meQuery } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { Card, Screen } from '../../controls/screen.tsx'
import { billingWords as words } from '../../words/billing.ts'

/** Opens a page of Stripe for the subscription; Stripe returns to the app. */
export function Subscribe() {
  const { data: config } = useQuery(configQuery)
  const { hasSubscription } = useSuspenseQuery(meQuery).data
  const { send, isSending, fault } = useChange(async () => {
    if (hasSubscription) return (await coffer.getBillingPortal()).data.url
    return (await coffer.createCheckout({ body: { cancelPath: '/account/subscribe' } })).data.url
  })
  return (
    <Screen title={words.title} isNarrow>
      <Card>
        {fault && <FaultBanner fault={fault} />}
        {config?.billingEnabled === false ? (
          <>
            <p>{words.none}</p>
            <Link to="/">{words.toHome}</Link>
          </>
        ) : (
          <>
            <p>{words.text}</p>
            <div className={rows.toolbar}>
              <Button
                kind="primary"
                isBusy={isSending}
                onClick={() => send(undefined, (url) => location.assign(url))}
              >
                {hasSubscription ? words.portal : words.subscribe}
              </Button>
            </div>
          </>
        )}
      </Card>
    </Screen>
  )
}
