import { CopyButton } from '../../controls/copy-button.tsx'
import styles from './settings.module.css'

/** A secret that is shown once, with a button that copies it. */
export function Secret({ text, value, label }: { text: string; value: string; label: string }) {
  return (
    <div className={styles.secret} role="status">
      <p>{text}</p>
      <code className={styles.code}>{value}</code>
      <p>
        <CopyButton text={value} label={label} />
      </p>
    </div>
  )
}
