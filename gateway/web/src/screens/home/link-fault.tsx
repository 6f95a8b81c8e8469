import type { SyncHealth } from '@coffer/client/types'
import { faultText, LinkStep } from '../../controls/link-step.tsx'
import styles from './home.module.css'

/** The reason for which the connection of a bank account fails, and the step that repairs it. */
export function LinkFault({ health }: { health: SyncHealth }) {
  return (
    <div className={styles.warned} role="status">
      <p className={styles.name}>{faultText(health)}</p>
      <LinkStep health={health} />
    </div>
  )
}
