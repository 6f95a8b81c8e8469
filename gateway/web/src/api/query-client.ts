import type { GetMeResponse } from '@coffer/client/types'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ownName } from '../base-path.ts'
import { eraseLastSeen } from '../offline/erasure.ts'
import { isOfOther, isSignedOut } from './faults.ts'
import { renewalMs } from './live/liveness.ts'
import { noteSession } from './live/session-end.ts'
import { showNote } from './notes.ts'
import { forgetAnswers } from './revalidation.ts'
import { forgetUnanswered } from './sending/change-request.ts'
import { setSender } from './sending/sender.ts'

/** Time in ms for which an answer is reused without a request. */
const freshMs = 15_000

/** Channel on which the tabs of this browser announce changes to each other. */
const tabs = new BroadcastChannel(ownName('coffer-changes'))

/** The cache of all answers. It retries nothing, as the client retries. */
export const queries = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      // Not for `me`: the router requests it at each navigation, and opens the sign-in after a 401
      // itself.
      const isOther = query.queryKey[0] !== 'me'
      if (isOther || !isSignedOut(error)) noteRefusal(error)
    },
    onSuccess: (answer, query) => {
      if (query.queryKey[0] === 'me') expectPerson(answer as GetMeResponse)
    },
  }),
  mutationCache: new MutationCache({
    onError: (error) => {
      // A wrong password is answered with 401 too: refetching another answer shows whether the
      // session has ended.
      if (isSignedOut(error)) void queries.invalidateQueries({ queryKey: ['overview'] })
      else noteRefusal(error)
    },
  }),
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: freshMs,
      refetchInterval: renewalMs,
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})

tabs.onmessage = ({ data }) => {
  if (data === 'signed-out') dispatchEvent(new Event('coffer-left'))
  else void queries.invalidateQueries()
}

// Answers that failed during the outage are refetched now instead of at the next polling.
addEventListener('coffer-reached', () => void queries.invalidateQueries())

/**
 * Notes whose answers this tab shows. From then on each request names this user (`stateSender`), so
 * that no screen mixes answers of two users, and none of their changes.
 */
function expectPerson({ user: { userId }, mfaPending }: GetMeResponse): void {
  // A code is still required: the sign-in over the screen stays open.
  if (mfaPending) return
  setSender(userId)
  noteSession(false)
}

/** Dispatches an event if a refusal shows that the session has ended, or is another user's. */
export function noteRefusal(error: unknown): void {
  if (isSignedOut(error)) dispatchEvent(new Event('coffer-signed-out'))
  else if (isOfOther(error)) dispatchEvent(new Event('coffer-other-user'))
}

/** Invalidates every answer, in this tab and in the others. */
export async function announceChange(): Promise<void> {
  tabs.postMessage('changed')
  await queries.invalidateQueries()
}

/** Ends the session in the other tabs too, because they share its cookie. */
export function announceSignOut(): void {
  tabs.postMessage('signed-out')
}

/** Erases the answers that are kept beside those of the shown screen. */
export function eraseAnswers(): void {
  forgetAnswers()
  void eraseLastSeen()
}

/**
 * Removes all answers of a session. Call it after the screens for signed-in users are left: a shown
 * one would fetch its answers again.
 */
export function forgetSession(): void {
  eraseAnswers()
  // Not at the end of a session alone: a form that stays open sends its change with the same key.
  forgetUnanswered()
  showNote(null)
  setSender(null)
  // The config of the server is kept: the sign-in screen shows it.
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'config' })
  queries.getMutationCache().clear()
}
