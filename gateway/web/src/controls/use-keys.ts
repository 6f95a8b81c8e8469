import { useEffect, useEffectEvent } from 'react'

/**
 * Runs `act` with a pressed key without Ctrl, Meta or Alt, but not while the person types or a
 * dialog is open. If `act` returns true, the browser does nothing else with the key.
 */
export function useKeys(act: (key: string) => boolean): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const { target, key, ctrlKey, metaKey, altKey } = event
    const isTyping = target instanceof Element && target.closest('input, select, textarea')
    if (ctrlKey || metaKey || altKey || isTyping) return
    if (document.querySelector('[role=dialog]')) return
    if (act(key)) event.preventDefault()
  })
  useEffect(() => {
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}
