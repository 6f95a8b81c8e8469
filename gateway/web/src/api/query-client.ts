import { QueryCache, QueryClient } from '@tanstack/react-query'
import { isSignedOut } from './faults.ts'
import { showNote } from './notes.ts'
import { forgetAnswers } from './revalidation.ts'

/** Interval in ms at which shown answers are renewed: other devices change the same account. */
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
  }),
  defaultOptions: {
    queries: { retry: false, staleTime: freshMs, refetchInterval: freshMs, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
})

tabs.onmessage = () => queries.invalidateQueries()

/** Marks every answer as changed, here and in the other tabs. */
export async function announceChange(): Promise<void> {
  tabs.postMessage('changed')
  await queries.invalidateQueries()
}

/** Forgets all that belongs to a session. No screen of the frame may be shown any more. */
export function forgetSession(): void {
  forgetAnswers()
  showNote(null)
  queries.clear()
}
