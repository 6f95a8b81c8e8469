import { coffer } from '../api/client.ts'
import { isSignedOut } from '../api/faults.ts'
import { forgetEarly } from '../early.ts'
import { currentPreferences, setPreferences } from '../preferences/preferences.ts'

/** Time for the request in ms: a person who signs out does not wait for a network. */
const waitMs = 5_000

/** Ends the session on the server, or notes that this is still due. Returns whether it ended. */
export async function endSession(): Promise<boolean> {
  // They are of the session that ends.
  forgetEarly()
  const hasEnded = await coffer.signOut({ timeoutMs: waitMs }).then(() => true, isSignedOut)
  setPreferences({ isSignOutDue: !hasEnded })
  return hasEnded
}

/**
 * Ends the session of a person who has signed out without a network, before the app shows a screen.
 * Returns whether no sign-out is due any more.
 */
export async function finishSignOut(): Promise<boolean> {
  return !currentPreferences().isSignOutDue || (await endSession())
}
