import type { SyncHealth } from '@coffer/client/types'
import { faultText, LinkStep } from '../../controls/link-step.tsx'
import styles from './home.module.css'

/** Why the connection of a bank account does not work, and what helps. */
export function LinkFault({ health }: { health: SyncHealth }) {
  return (
    <div className={styles.warned} role="status">
      <p className={styles.name}>{faultText(health)}</p>
      <LinkStep health={health} />
    </div>
  )
}
