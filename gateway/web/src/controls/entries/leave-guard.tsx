import { useRouter } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { leaveEntries, useHasEntries, useQuestion } from './entries.ts'

const LeaveQuestion = lazy(() =>
  import('./leave-question.tsx').then((part) => ({ default: part.LeaveQuestion })),
)

/**
 * Blocks a navigation to another screen, or "back" from an open form, until the user agrees to lose
 * unsaved entries.
 */
export function LeaveGuard() {
  const { history } = useRouter()
  const hasEntries = useHasEntries()
  const question = useQuestion()
  useEffect(() => {
    if (!hasEntries) return
    return history.block({
      enableBeforeUnload: false,
      blockerFn: ({ currentLocation: from, nextLocation: to }) => {
        // Other search parameters, such as the bank account or filters, do not close the form.
        if (from.pathname === to.pathname && from.state.opened === to.state.opened) return false
        return new Promise((resolve) =>
          leaveEntries(
            document.body,
            () => resolve(false),
            () => resolve(true),
          ),
        )
      },
    })
  }, [history, hasEntries])
  return <Suspense fallback={null}>{question && <LeaveQuestion {...question} />}</Suspense>
}
