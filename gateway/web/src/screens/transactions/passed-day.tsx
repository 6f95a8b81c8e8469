import { useEffect, useRef, useState } from 'react'
import { formatDay } from '../../format/days.ts'
import { useReader } from '../../shell/chosen-account.ts'
import styles from './transactions.module.css'

/** Height of the rest of a heading that can no longer be read, in CSS pixels. */
const headingRestMax = 16

/** The day of the first row below this line, whose heading has been scrolled away. */
export function PassedDay() {
  const reader = useReader()
  const line = useRef<HTMLParagraphElement>(null)
  const [day, setDay] = useState('')
  useEffect(() => {
    const look = () => setDay(findPassedDay(line.current?.getBoundingClientRect().bottom ?? 0))
    addEventListener('scroll', look, { passive: true })
    return () => removeEventListener('scroll', look)
  }, [])
  return (
    <p ref={line} className={styles.day} aria-hidden="true">
      {day && formatDay(day, reader)}
    </p>
  )
}

/** Returns the day of the first row that ends below `top`; empty if a heading comes first. */
function findPassedDay(top: number): string {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-day]')]
  const first = rows.find((one) => one.getBoundingClientRect().bottom > top + headingRestMax)
  const isHeading = first?.querySelector('h2') !== null
  return isHeading ? '' : (first?.dataset.day ?? '')
}
