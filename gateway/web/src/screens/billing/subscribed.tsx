import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { meQuery } from '../../api/account-queries.ts'
import { coffer } from '../../api/client.ts'
import { queries } from '../../api/query-client.ts'
import { Asked } from '../../controls/asked.tsx'
import { Card, Screen } from '../../controls/screen.tsx'
import { billingWords as words } from '../../words/billing.ts'

const route = getRouteApi('/frame/account/subscribe/after')
const againMs = 3_000

/**
 * The page to which Stripe returns: the server reads the subscription at once, before a webhook.
 */
export function Subscribed() {
  const { session = '' } = route.useSearch()
  const path = { checkoutSessionId: session }
  const checkout = useQuery({
    queryKey: ['checkout', session],
    queryFn: async ({ signal }) => {
      const { data } = await coffer.getCheckout({ path, signal })
      // The answer of `me` has changed, and the frame decides by it which screens a user may open.
      if (data.isActive) await queries.refetchQueries({ queryKey: meQuery.queryKey })
      return data
    },
    refetchInterval: ({ state }) => (state.data?.isActive ? false : againMs),
  })
  return (
    <Screen title={words.after} isNarrow>
      <Card>
        <Asked query={checkout} lines={2}>
          {({ isActive }) => (
            <>
              <p role="status">{isActive ? words.active : words.notActive}</p>
              {isActive && <Link to="/">{words.toHome}</Link>}
            </>
          )}
        </Asked>
      </Card>
    </Screen>
  )
}
