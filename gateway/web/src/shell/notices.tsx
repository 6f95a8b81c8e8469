import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { meQuery } from '../api/account-queries.ts'
import { isEndingSoon } from '../api/live/session-end.ts'
import { useReachability } from '../api/reachability.ts'
import { Button } from '../controls/button.tsx'
import { formatInstant } from '../format/days.ts'
import { mayKeep } from '../offline/erasure.ts'
import { usePreferences } from '../preferences/preferences.ts'
import { faultWords } from '../words/faults.ts'
import { frameWords } from '../words/frame.ts'
import { useReader } from './chosen-account.ts'
import styles from './frame.module.css'
import { useIsOld } from './upgrade.ts'

/** Offers a reload after an upgrade of the server, which no longer has the chunks of this page. */
export function UpgradeNotice() {
  if (!useIsOld()) return null
  return (
    <div role="status" className={styles.notice}>
      <p>{faultWords.upgraded}</p>
      <Button onClick={() => location.reload()}>{faultWords.reload}</Button>
    </div>
  )
}

/** Shown while the server does not answer. Cached answers stay visible, and are refetched. */
export function OfflineNotice() {
  const isReached = useReachability()
  const reader = useReader()
  const [at, setAt] = useState<string | null>(null)
  useEffect(() => {
    if (isReached) setAt(null)
    else if (mayKeep()) void lastReached().then(setAt, () => {})
  }, [isReached])
  if (isReached) return null
  return (
    <div role="status" className={styles.notice}>
      <p>
        {at === null ? faultWords.offline : faultWords.lastSeen({ at: formatInstant(at, reader) })}
      </p>
    </div>
  )
}

/** Interval in ms between looks at the clock. */
const lookMs = 60_000

/** Says from a day before when the session ends, and offers to sign in again over the screen. */
export function SessionNotice({ onRenew }: { onRenew: () => void }) {
  const { data: me } = useQuery(meQuery)
  const isForeign = usePreferences().isForeign === true
  const reader = useReader()
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), lookMs)
    return () => clearInterval(timer)
  }, [])
  const end = me?.sessionExpiresAt ?? null
  if (end === null || !isEndingSoon(end, { now, isForeign })) return null
  return (
    <div role="status" className={styles.notice}>
      <p>{frameWords.sessionEnds({ at: formatInstant(end, reader) })}</p>
      <Button onClick={onRenew}>{frameWords.renewSession}</Button>
    </div>
  )
}

/** Returns the time of the server's last answer (RFC 3339); null if unknown. */
async function lastReached(): Promise<string | null> {
  const { findLastSeenAt } = await import('../offline/last-seen.ts')
  return (await findLastSeenAt())?.toISOString() ?? null
}
