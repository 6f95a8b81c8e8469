import { useEffect, useEffectEvent } from 'react'

/** Controls that take letters; a checkbox takes none. */
const typed = 'input:not([type=checkbox], [type=radio]), select, textarea'

/**
 * Runs `act` with a pressed key without Ctrl, Meta or Alt, but not while the person types or a
 * dialog is open. If `act` returns true, the browser does nothing else with the key.
 */
export function useKeys(act: (key: string) => boolean): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const { target, key, ctrlKey, metaKey, altKey } = event
    const isTyping = target instanceof Element && target.closest(typed)
    if (ctrlKey || metaKey || altKey || isTyping) return
    if (document.querySelector('[role=dialog]')) return
    if (act(key)) event.preventDefault()
  })
  useEffect(() => {
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

/** Returns the line of a list that has the focus, or whose row has it; else a line of a mark. */
export function findMarkedLine(): HTMLElement | null {
  const active = document.activeElement
  const line = active?.closest<HTMLElement>('[data-line]')
  return (
    line ??
    active?.closest('li')?.querySelector<HTMLElement>('[data-line]') ??
    document.querySelector<HTMLElement>('main [data-line][data-marked]')
  )
}
