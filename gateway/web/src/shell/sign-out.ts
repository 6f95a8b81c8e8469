import { useNavigate } from '@tanstack/react-router'
import { coffer } from '../api/client.ts'
import { forgetSession } from '../api/query-client.ts'
import { setPreferences } from '../preferences/preferences.ts'

/** Returns the function that ends the session and leads to the sign-in. */
export function useSignOut(): () => void {
  const navigate = useNavigate()
  const leave = async () => {
    // Without the server the cookie stays, and the session ends there by itself.
    await coffer.signOut().catch(() => null)
    setPreferences({ bankAccountId: null })
    await navigate({ to: '/login', search: {} })
    forgetSession()
  }
  return () => void leave()
}
