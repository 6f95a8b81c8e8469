import { useEffect, useRef, useState } from 'react'
import { formatDay } from '../../format/days.ts'
import { useReader } from '../../shell/chosen-account.ts'
import styles from './transactions.module.css'

/**
 * Space below the text of a heading, in CSS pixels; a heading of which only this is visible counts
 * as scrolled away.
 */
const headingRestMax = 8

/** Sticky day of the first row below this line, after its heading was scrolled away. */
export function PassedDay() {
  const reader = useReader()
  const line = useRef<HTMLParagraphElement>(null)
  const [day, setDay] = useState('')
  useEffect(() => {
    const look = () => setDay(findPassedDay(line.current?.getBoundingClientRect().bottom ?? 0))
    addEventListener('scroll', look, { passive: true })
    // The toolbar above grows when rows are selected. It then covers headings, so its size is
    // observed, too.
    const bar = new ResizeObserver(look)
    if (line.current?.parentElement) bar.observe(line.current.parentElement)
    return () => {
      removeEventListener('scroll', look)
      bar.disconnect()
    }
  }, [])
  return (
    <p ref={line} className={styles.day} aria-hidden="true">
      {day && formatDay(day, reader)}
    </p>
  )
}

/** Returns the day of the first row below `top`; empty if that row is the heading. */
function findPassedDay(top: number): string {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-day]')]
  const first = rows.find((one) => one.getBoundingClientRect().bottom > top + headingRestMax)
  const isHeading = first?.querySelector('h2') !== null
  return isHeading ? '' : (first?.dataset.day ?? '')
}
