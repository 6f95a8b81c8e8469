import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, startTransition, useEffect, useEffectEvent, useRef, useState } from 'react'
import { findMarkedLine, useKeys } from '../controls/use-keys.ts'
import { places } from './places.ts'

const Palette = lazy(() =>
  import('./palette/palette.tsx').then((part) => ({ default: part.Palette })),
)
const Help = lazy(() => import('./keyboard-help.tsx').then((part) => ({ default: part.Help })))

/** Time in ms after `g` within which a letter opens a screen. */
const goMs = 1_500

/** Global keyboard shortcuts, the command palette (Ctrl-K or Cmd-K), and the help (`?`). */
export function Keyboard() {
  const navigate = useNavigate()
  const [open, setOpen] = useState<'palette' | 'help' | null>(null)
  const goUntil = useRef(0)
  // In a transition: React delays a part that is loaded then by 300 ms otherwise.
  const show = (part: typeof open) => startTransition(() => setOpen(part))
  const add = () =>
    void navigate({ to: '/transactions', search: (now) => now, state: { opened: 'transaction' } })
  useKeys((key) => {
    const place = places.find((one) => one.key === key)
    if (place && performance.now() < goUntil.current) void navigate({ to: place.to })
    else if (key === 'g') goUntil.current = performance.now() + goMs
    else if (key === 'n') add()
    else if (key === '?') show('help')
    else if (key === 'j' || key === 'k') moveInList(key === 'j' ? 1 : -1)
    else return false
    if (key !== 'g') goUntil.current = 0
    return true
  })
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    if (!document.querySelector('dialog')) show('palette')
  })
  useEffect(() => {
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
  const close = () => setOpen(null)
  return (
    <Suspense fallback={null}>
      {open === 'palette' && <Palette onClose={close} onKeys={() => setOpen('help')} />}
      {open === 'help' && <Help onClose={close} />}
    </Suspense>
  )
}

/** Moves the focus to the next or previous line of the screen's lists. */
function moveInList(step: 1 | -1): void {
  const lines = [...document.querySelectorAll<HTMLElement>('main [data-line]')]
  const marked = findMarkedLine()
  const at = marked === null ? -1 : lines.indexOf(marked)
  const next = at < 0 ? lines.at(step === 1 ? 0 : -1) : lines[at + step]
  next?.focus()
}
