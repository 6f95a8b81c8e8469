import { useMutation } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { type Fault, faultOf, isSignedOut, tryingFault } from './faults.ts'
import { useSessionEnd } from './live/session-end.ts'
import { showHints, showNote } from './notes.ts'
import { announceChange } from './query-client.ts'
import { useReachability } from './reachability.ts'

/** A request that changes something, as a form or a button uses it. */
export interface Change<Input, Output> {
  /** Sends it; `done` runs when it has succeeded and all shown answers are renewed. */
  send: (input: Input, done?: (output: Output) => void) => void
  isSending: boolean
  /** Also while a request is repeated because the server cannot be reached. */
  fault: Fault | null
  /** Forgets the fault. */
  reset: () => void
}

/**
 * Returns a change. After it, every shown answer is asked for again, in all tabs. The note about a
 * former change closes, unless the change belongs to it.
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
      // Callbacks of `mutate` do not run if the renewed answers have removed the form.
      done?.(output)
    },
  })
  const isReached = useReachability()
  const hasEnded = useSessionEnd()
  const forgetEnd = useEffectEvent(() => isSignedOut(error) && reset())
  // After the sign-in over the screen, the form may be sent again.
  useEffect(() => (hasEnded ? () => void forgetEnd() : undefined), [hasEnded])
  return {
    send: (input, done) => mutate({ input, done }),
    isSending: isPending,
    fault: isPending && !isReached ? tryingFault : faultOf(error),
    reset,
  }
}
