import { useEffect, useEffectEvent } from 'react'

/** Controls that accept letters, in which shortcuts are ignored. */
const typed = 'input:not([type=checkbox], [type=radio]), select, textarea'

/**
 * Keyboard shortcuts: runs `act` with a pressed key without Ctrl, Meta or Alt; not while the user
 * types or a dialog is open. If `act` returns true, the default action is prevented.
 */
export function useKeys(act: (key: string) => boolean): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const { target, key, ctrlKey, metaKey, altKey } = event
    const isTyping = target instanceof Element && target.closest(typed)
    if (ctrlKey || metaKey || altKey || isTyping) return
    if (document.querySelector('[role=dialog], dialog')) return
    if (act(key)) event.preventDefault()
  })
  useEffect(() => {
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

/**
 * Returns the list line that has the focus, or whose row has it; else a line marked by
 * `data-marked`.
 */
export function findMarkedLine(): HTMLElement | null {
  const active = document.activeElement
  const line = active?.closest<HTMLElement>('[data-line]')
  return (
    line ??
    active?.closest('li')?.querySelector<HTMLElement>('[data-line]') ??
    document.querySelector<HTMLElement>('main [data-line][data-marked]')
  )
}
