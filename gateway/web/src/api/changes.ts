import { useMutation } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { type Fault, faultOf, isSignedOut, tryingFault } from './faults.ts'
import { useSessionEnd } from './live/session-end.ts'
import { showHints, showNote } from './notes.ts'
import { announceChange } from './query-client.ts'
import { useReachability } from './reachability.ts'

/** A mutation, for a form or a button. */
export interface Change<Input, Output> {
  /** Sends the request; `done` runs once it has succeeded and all shown answers are refetched. */
  send: (input: Input, done?: (output: Output) => void) => void
  isSending: boolean
  /** Set also while the request is retried because the server cannot be reached. */
  fault: Fault | null
  /** Clears the fault. */
  reset: () => void
}

/**
 * Returns a mutation. After it, every shown answer is refetched, in all tabs. The note (toast)
 * about an earlier change closes, unless this mutation is an action of that note (`isOfNote`).
 */
export function useChange<Input, Output>(
  work: (input: Input) => Promise<Output>,
  { isOfNote = false } = {},
): Change<Input, Output> {
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: async ({ input, done }: { input: Input; done?: (output: Output) => void }) => {
      if (!isOfNote) showNote(null)
      const output = await work(input)
      showHints(output)
      await announceChange()
      // Instead of callbacks of `mutate`: they do not run if the refetched answers unmount the
      // form.
      done?.(output)
    },
  })
  const isReached = useReachability()
  const hasEnded = useSessionEnd()
  const forgetEnd = useEffectEvent(() => isSignedOut(error) && reset())
  // Clears a 401 once the user has signed in again over the screen: the form may be sent again.
  useEffect(() => (hasEnded ? () => void forgetEnd() : undefined), [hasEnded])
  return {
    send: (input, done) => mutate({ input, done }),
    isSending: isPending,
    fault: isPending && !isReached ? tryingFault : faultOf(error),
    reset,
  }
}
