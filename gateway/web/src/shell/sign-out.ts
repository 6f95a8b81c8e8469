import { useNavigate } from '@tanstack/react-router'
import { coffer } from '../api/client.ts'
import { announceSignOut, forgetSession } from '../api/query-client.ts'
import { setPreferences } from '../preferences/preferences.ts'

/** Returns the function that ends the session and leads to the sign-in. */
export function useSignOut(): () => void {
  const navigate = useNavigate()
  const leave = async () => {
    // Without the server the cookie stays, and the session ends there by itself.
    await coffer.signOut().catch(() => null)
    announceSignOut()
    setPreferences({ bankAccountId: null })
    await navigate({ to: '/login', search: {} })
    forgetSession()
  }
  return () => void leave()
}
