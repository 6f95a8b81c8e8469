import { useLocation, useNavigate } from '@tanstack/react-router'

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
