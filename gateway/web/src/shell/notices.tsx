import { useEffect, useState } from 'react'
import { useReachability } from '../api/reachability.ts'
import { Button } from '../controls/button.tsx'
import { faultWords } from '../words/faults.ts'
import styles from './frame.module.css'

/** Offers a reload after an upgrade of the server: this page's parts are gone by then. */
export function UpgradeNotice() {
  const [isOld, setOld] = useState(false)
  useEffect(() => {
    const notice = () => setOld(true)
    addEventListener('coffer-upgraded', notice)
    return () => removeEventListener('coffer-upgraded', notice)
  }, [])
  if (!isOld) return null
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
