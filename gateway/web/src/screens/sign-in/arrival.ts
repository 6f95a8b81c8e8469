import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { forgetSession } from '../../api/query-client.ts'
import { basePath } from '../../base-path.ts'
import { applyDevice } from '../../offline/device.ts'
import { setPreferences } from '../../preferences/preferences.ts'

/**
 * Returns a function that opens the app after a sign-in: at `nextUrl`, the next step that the
 * server requires, else at `next`, the page before the sign-in, if it is a path of this app. Else
 * it opens home.
 */
export function useArrival(): (to: {
  next?: string | undefined
  nextUrl?: string | undefined
}) => Promise<void> {
  const navigate = useNavigate()
  const router = useRouter()
  const cache = useQueryClient()
  return async ({ next, nextUrl }) => {
    // The cache may hold answers for the user who was signed in before, so it is cleared.
    forgetSession()
    setPreferences({ isSignOutDue: false, isSignedIn: true })
    void applyDevice().catch(() => {})
    cache.clear()
    const isOwn = next !== undefined && /^\/(?![/\\])/.test(next)
    const to = nextUrl ?? (isOwn ? next : '/')
    // Plaid Link is an HTML page of its own: the router of the app cannot show it.
    if (/^\/(links\/connect|aggregator\/)/.test(to)) location.assign(`${basePath}${to.slice(1)}`)
    else {
      await router.invalidate()
      await navigate({ to: to as '/' })
    }
  }
}
