import { useLocation, useNavigate } from '@tanstack/react-router'

declare module '@tanstack/react-router' {
  /** State of an entry of the history, which the URL does not show. */
  interface HistoryState {
    /** Token for a new password, of a sign-in that needs one. */
    resetToken?: string | undefined
    /** The form that opens: `transaction`, `envelope`, `move`, `payday` or `rule`. */
    opened?: string | undefined
  }
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
