import { useReachability } from '../api/reachability.ts'
import { Button } from '../controls/button.tsx'
import { faultWords } from '../words/faults.ts'
import styles from './frame.module.css'
import { useIsOld } from './upgrade.ts'

/** Offers a reload after an upgrade of the server: this page's parts are gone by then. */
export function UpgradeNotice() {
  if (!useIsOld()) return null
  return (
    <div role="status" className={styles.notice}>
      <p>{faultWords.upgraded}</p>
      <Button onClick={() => location.reload()}>{faultWords.reload}</Button>
    </div>
  )
}

/** Says so while the server does not answer. Known answers stay, and are asked for again. */
export function OfflineNotice() {
  if (useReachability()) return null
  return (
    <div role="status" className={styles.notice}>
      <p>{faultWords.offline}</p>
    </div>
  )
}
