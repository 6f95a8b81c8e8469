import { coffer } from '../api/client.ts'
import { isSignedOut } from '../api/faults.ts'
import { forgetEarly } from '../early.ts'
import { currentPreferences, setPreferences } from '../preferences/preferences.ts'

/** Timeout in ms: a sign-out does not wait for a slow network. */
const waitMs = 5_000

/**
 * Ends the session on the server, or notes that this still has to be done. Returns whether it
 * ended.
 */
export async function endSession(): Promise<boolean> {
  // Answers that were requested before the app was loaded belong to the session that ends here.
  forgetEarly()
  const hasEnded = await coffer.signOut({ timeoutMs: waitMs }).then(() => true, isSignedOut)
  setPreferences({ isSignOutDue: !hasEnded })
  return hasEnded
}

/**
 * Before the app shows a screen: ends the session of a user who signed out offline. Returns whether
 * no sign-out is left to do.
 */
export async function finishSignOut(): Promise<boolean> {
  return !currentPreferences().isSignOutDue || (await endSession())
}
