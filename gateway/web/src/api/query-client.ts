import type { GetMeResponse } from '@coffer/client/types'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { basePath } from '../base-path.ts'
import { eraseLastSeen } from '../offline/erasure.ts'
import { isSignedOut } from './faults.ts'
import { renewalMs } from './live/liveness.ts'
import { noteSession } from './live/session-end.ts'
import { showNote } from './notes.ts'
import { forgetAnswers } from './revalidation.ts'

/** Time in ms for which an answer is shown again without a request. */
const freshMs = 15_000

/** Tabs of this browser tell each other of changes. */
const tabs = new BroadcastChannel('coffer-changes')

/** The cache of all answers. It repeats no request: the client does. */
export const queries = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      // The frame looks at `me` at each navigation, and leads to the sign-in.
      const isOther = query.queryKey[0] !== 'me'
      if (isSignedOut(error) && isOther) dispatchEvent(new Event('coffer-signed-out'))
    },
    onSuccess: (answer, query) => {
      if (query.queryKey[0] === 'me') expectPerson(answer as GetMeResponse)
    },
  }),
  mutationCache: new MutationCache({
    onError: (error) => {
      // A refused password is 401 too: another answer tells whether the session has ended.
      if (isSignedOut(error)) void queries.invalidateQueries({ queryKey: ['overview'] })
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

// Answers that failed meanwhile would stay so until their next renewal.
addEventListener('coffer-reached', () => void queries.invalidateQueries())

let person: string | null = null

/** Another person may have signed in by another tab: no screen mixes the answers of two. */
function expectPerson({ user: { userId } }: GetMeResponse): void {
  if (person !== null && person !== userId) location.assign(basePath)
  person = userId
  noteSession(false)
}

/** Marks every answer as changed, here and in the other tabs. */
export async function announceChange(): Promise<void> {
  tabs.postMessage('changed')
  await queries.invalidateQueries()
}

/** Ends the session in the other tabs, too: the cookie is gone. */
export function announceSignOut(): void {
  tabs.postMessage('signed-out')
}

/** Forgets all that belongs to a session. No screen of the frame may be shown any more. */
export function forgetSession(): void {
  forgetAnswers()
  void eraseLastSeen()
  showNote(null)
  person = null
  // The features of the server stay: the screen of the sign-in shows them already.
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'config' })
  queries.getMutationCache().clear()
}
