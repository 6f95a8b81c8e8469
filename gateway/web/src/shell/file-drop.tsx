import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import { dropFile } from '../api/dropped-file.ts'
import { frameWords } from '../words/frame.ts'
import styles from './frame.module.css'

/** Opens the import screen with a file that was dropped on any screen. */
export function FileDrop() {
  const navigate = useNavigate()
  const [isOver, setOver] = useState(false)
  const drag = useEffectEvent((event: DragEvent) => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    setOver(true)
  })
  const leave = useEffectEvent((event: DragEvent) => {
    if (event.relatedTarget === null) setOver(false)
  })
  const drop = useEffectEvent((event: DragEvent) => {
    setOver(false)
    const file = event.dataTransfer?.files[0]
    // The drop target of the import screen handles its files itself.
    if (file === undefined || event.defaultPrevented) return
    event.preventDefault()
    dropFile(file)
    void navigate({ to: '/imports' })
  })
  useEffect(() => {
    const listeners = { dragover: drag, dragleave: leave, drop }
    const all = Object.entries(listeners) as [string, EventListener][]
    for (const [name, listener] of all) addEventListener(name, listener)
    return () => {
      for (const [name, listener] of all) removeEventListener(name, listener)
    }
  }, [])
  return isOver ? <p className={styles.dropping}>{frameWords.drop}</p> : null
}
