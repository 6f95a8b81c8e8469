import { useEffect, useEffectEvent } from 'react'

/** Runs `act` when a key is pressed, but not while the reader types or a dialog is open. */
export function useKey(key: string, act: () => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const { target, ctrlKey, metaKey, altKey } = event
    const isTyping = target instanceof Element && target.closest('input, select, textarea, dialog')
    const isOther = event.key !== key || ctrlKey || metaKey || altKey
    if (isOther || isTyping || document.querySelector('[role=dialog]')) return
    event.preventDefault()
    act()
  })
  useEffect(() => {
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}
