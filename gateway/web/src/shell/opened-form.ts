import { useLocation, useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef } from 'react'

declare module '@tanstack/react-router' {
  /** State of a history entry, which is not part of the URL. */
  interface HistoryState {
    /** One-time token for a new password, if the server required one at the sign-in. */
    resetToken?: string | undefined
    /** Name of the open form, such as `transaction` or a result of `editOf`; or `preview`. */
    opened?: string | undefined
  }
}

/** Returns the name of the form for a bank account in the list of accounts. */
export function editOf(bankAccountId: string): string {
  return `edit ${bankAccountId}`
}

/** Returns the props of a link that opens the form for a bank account. */
export function toEdit(bankAccountId: string) {
  const state = { opened: editOf(bankAccountId) }
  return { to: '/accounts', search: { account: bankAccountId }, state } as const
}

/**
 * Returns whether a form is open, and a function that opens or closes it. The state is in the
 * history entry, so that shortcuts and the palette open the form from any screen.
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
 * Adds a history entry for a step of a screen, so that "back" leaves only the step. After the step
 * has ended, "back" skips its entry. Returns a function that goes back by one step.
 */
export function useBackStep(isOn: boolean, leave: () => void): () => void {
  const navigate = useNavigate()
  const { history } = useRouter()
  const { __TSR_index: index, opened } = useLocation({ select: ({ state }) => state })
  // Index of the step's history entry; null without one.
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
