import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { forgetSession } from '../../api/query-client.ts'
import { basePath } from '../../base-path.ts'
import { applyDevice } from '../../offline/device.ts'
import { setPreferences } from '../../preferences/preferences.ts'

/**
 * Returns the function that leads into the app after a sign-in: to the path where the person was,
 * if it is one of this app, else to the next step that the server names.
 */
export function useArrival(): (to: {
  next?: string | undefined
  nextUrl?: string | undefined
}) => Promise<void> {
  const navigate = useNavigate()
  const router = useRouter()
  const cache = useQueryClient()
  return async ({ next, nextUrl }) => {
    // Answers of a former person must not show.
    forgetSession()
    setPreferences({ isSignOutDue: false, isSignedIn: true })
    void applyDevice().catch(() => {})
    cache.clear()
    const isOwn = next !== undefined && /^\/(?![/\\])/.test(next)
    const to = nextUrl ?? (isOwn ? next : '/')
    // Plaid Link has a document of its own.
    if (/^\/(links\/connect|aggregator\/)/.test(to)) location.assign(`${basePath}${to.slice(1)}`)
    else {
      await router.invalidate()
      await navigate({ to: to as '/' })
    }
  }
}
