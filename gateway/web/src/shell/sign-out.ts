import { useNavigate } from '@tanstack/react-router'
import { announceSignOut, forgetSession } from '../api/query-client.ts'
import { leaveEntries } from '../controls/entries/entries.ts'
import { eraseLastSeen } from '../offline/erasure.ts'
import { setPreferences } from '../preferences/preferences.ts'
import { endSession } from './due-sign-out.ts'

/**
 * Returns a function that ends the session and opens the sign-in, after a question if entries are
 * not saved.
 */
export function useSignOut(): () => void {
  const navigate = useNavigate()
  const leave = async () => {
    await eraseLastSeen()
    // Offline, the cookie stays: the session is ended once the server is reached again.
    await endSession()
    announceSignOut()
    setPreferences({ bankAccountId: null, isSignedIn: false })
    await navigate({ to: '/login', search: {}, ignoreBlocker: true })
    forgetSession()
  }
  return () => leaveEntries(document.body, () => void leave())
}
