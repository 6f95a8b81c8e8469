import { useSyncExternalStore } from 'react'

const narrow = matchMedia('(max-width: 40rem)')

/** Returns whether the screen is as narrow as that of a phone. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      narrow.addEventListener('change', listener)
      return () => narrow.removeEventListener('change', listener)
    },
    () => narrow.matches,
  )
}
