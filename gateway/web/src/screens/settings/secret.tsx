import { useEffect, useRef } from 'react'
import { CopyButton } from '../../controls/copy-button.tsx'
import styles from './settings.module.css'

/**
 * A secret that is shown once, with a button that copies it. It gets the focus, because it may be
 * far above the form that has created it.
 */
export function Secret({ text, value, label }: { text: string; value: string; label: string }) {
  const part = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each secret comes into view once.
  useEffect(() => part.current?.focus(), [value])
  return (
    <div ref={part} className={styles.secret} role="status" tabIndex={-1}>
      <p>{text}</p>
      <code className={styles.code}>{value}</code>
      <p>
        <CopyButton text={value} label={label} />
      </p>
    </div>
  )
}
