import { Link } from '@tanstack/react-router'
import { CircleQuestionMark } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { type HelpName, helpWords } from '../words/frame.ts'
import rows from './rows.module.css'
import styles from './screen.module.css'

interface Props {
  title: string
  children: ReactNode
  /** Buttons beside the heading. */
  actions?: ReactNode
  /** Narrow layout for forms and texts, so that lines stay readable. */
  isNarrow?: boolean
  /** The page of the help about this screen. */
  help?: HelpName
}

let hasShownOne = false

/**
 * A screen with its heading. After a navigation the heading gets the focus, so that screen readers
 * announce the screen; after a reload the browser decides.
 */
export function Screen({ title, children, actions, isNarrow = false, help }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (hasShownOne) heading.current?.focus({ preventScroll: true })
    hasShownOne = true
  }, [])
  return (
    <div className={`${styles.screen} ${isNarrow ? styles.narrow : ''}`}>
      <title>{`${title} – Coffer`}</title>
      <header className={styles.header}>
        <div className={styles.title}>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {help && (
            <Link to="/help/$page" params={{ page: help }} aria-label={helpWords.onScreen}>
              <CircleQuestionMark size={20} aria-hidden />
            </Link>
          )}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** Two columns of cards; screen readers read the first column before the second. */
export function Columns({ first, second }: { first: ReactNode; second: ReactNode }) {
  return (
    <div className={styles.columns}>
      <div className={styles.column}>{first}</div>
      <div className={styles.column}>{second}</div>
    </div>
  )
}

interface CardProps {
  title?: string
  children: ReactNode
  aside?: ReactNode
}

/** A section of a screen with a surface of its own. */
export function Card({ title, children, aside }: CardProps) {
  return (
    <section className={styles.card} aria-label={title}>
      {title && (
        <header className={styles.cardHeader}>
          <h2>{title}</h2>
          {aside}
        </header>
      )}
      {children}
    </section>
  )
}

/** Description list of labels and values; entries without a value are left out. */
export function Facts({ facts }: { facts: readonly (readonly [label: string, ReactNode])[] }) {
  return (
    <dl className={rows.facts}>
      {facts.map(
        ([label, value]) =>
          value && (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

interface EmptyProps {
  children: ReactNode
  /** The next step, such as a button. */
  action?: ReactNode
}

/** Empty state of a screen, with the next step. */
export function Empty({ children, action }: EmptyProps) {
  return (
    <Card>
      <p className={styles.empty}>{children}</p>
      {action && <div>{action}</div>}
    </Card>
  )
}

/** Placeholder (skeleton) of content that is loading, so that nothing moves when it arrives. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div className={styles.skeleton} data-skeleton aria-hidden="true">
      {Array.from({ length: lines }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
        <span key={at} />
      ))}
    </div>
  )
}
