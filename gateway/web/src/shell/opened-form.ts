import { useLocation, useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef } from 'react'

declare module '@tanstack/react-router' {
  /** State of an entry of the history, which the URL does not show. */
  interface HistoryState {
    /** Token for a new password, of a sign-in that needs one. */
    resetToken?: string | undefined
    /** The form that opens, such as `transaction` or that of `editOf`, or `preview`. */
    opened?: string | undefined
  }
}

/** Returns the name of the form that edits a bank account in the list of accounts. */
export function editOf(bankAccountId: string): string {
  return `edit ${bankAccountId}`
}

/** Returns where a link leads that opens this form. */
export function toEdit(bankAccountId: string) {
  const state = { opened: editOf(bankAccountId) }
  return { to: '/accounts', search: { account: bankAccountId }, state } as const
}

/**
 * Returns whether a form of a screen is open, and the function that opens or closes it. The state
 * is that of the entry of the history, so that keys and the palette open it from any screen.
 */
export function useOpenedForm(form: string): [boolean, (wanted: boolean) => void] {
  const navigate = useNavigate()
  const isOpen = useLocation({ select: ({ state }) => state.opened === form })
  const open = (wanted: boolean) =>
    void navigate({
      to: '.',
      search: (now) => now,
      state: wanted ? { opened: form } : {},
      replace: true,
    })
  return [isOpen, open]
}

/**
 * Gives a step of a screen an entry of the history, so that Back leaves the step alone. Once it is
 * over, Back passes its entry. Returns the function that goes back by one step.
 */
export function useBackStep(isOn: boolean, leave: () => void): () => void {
  const navigate = useNavigate()
  const { history } = useRouter()
  const { __TSR_index: index, opened } = useLocation({ select: ({ state }) => state })
  // Index of the entry of the step; null without one.
  const entry = useRef(opened === 'preview' ? index : null)
  const left = useEffectEvent(() => (isOn ? leave() : history.back()))
  useEffect(() => {
    if (entry.current !== null && index < entry.current) {
      entry.current = null
      left()
    } else if (isOn && entry.current === null) {
      entry.current = index + 1
      void navigate({ to: '.', search: (now) => now, state: { opened: 'preview' } })
    }
  }, [isOn, index, navigate])
  return () => (index === entry.current ? history.back() : leave())
}
