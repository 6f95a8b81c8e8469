import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { Eye, EyeOff, LogOut } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { followAccount } from '../api/live/live-changes.ts'
import { useSessionEnd } from '../api/live/session-end.ts'
import { LeaveGuard } from '../controls/entries/leave-guard.tsx'
import { setPreferences, usePreferences } from '../preferences/preferences.ts'
import { frameWords } from '../words/frame.ts'
import { AccountChoice } from './account-choice.tsx'
import { FileDrop } from './file-drop.tsx'
import styles from './frame.module.css'
import { Keyboard } from './keyboard.tsx'
import { NoteNotice } from './note-notice.tsx'
import { OfflineNotice, SessionNotice, UpgradeNotice } from './notices.tsx'
import { barPlacesMax, more, places } from './places.ts'
import { useSignOut } from './sign-out.ts'
import { ThemeChoice } from './theme-choice.tsx'

const EndedSession = lazy(() =>
  import('./ended-session.tsx').then((part) => ({ default: part.EndedSession })),
)

/** The frame of all signed-in screens: navigation, choice of the bank account, and the screen. */
export function Frame() {
  const hasEnded = useSessionEnd()
  const [isRenewing, setRenewing] = useState(false)
  // Follows the change feed while the session lasts, and again with a new session.
  useEffect(() => (hasEnded || isRenewing ? undefined : followAccount()), [hasEnded, isRenewing])
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#content">
        {frameWords.skip}
      </a>
      <aside className={styles.side}>
        <p className={styles.mark}>Coffer</p>
        <AccountChoice />
        <nav aria-label={frameWords.navigation} className={styles.places}>
          {places.map(({ to, text, icon: Icon }) => (
            <Link key={to} to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
              <Icon size={18} aria-hidden />
              {text}
            </Link>
          ))}
        </nav>
        <Controls />
      </aside>
      <main id="content" tabIndex={-1} className={styles.content}>
        <UpgradeNotice />
        <OfflineNotice />
        <SessionNotice onRenew={() => setRenewing(true)} />
        <Outlet />
      </main>
      <NoteNotice />
      {(hasEnded || isRenewing) && (
        <Suspense fallback={null}>
          <EndedSession isEarly={!hasEnded} onClose={() => setRenewing(false)} />
        </Suspense>
      )}
      <Keyboard />
      <FileDrop />
      <LeaveGuard />
      <Bar />
    </div>
  )
}

/**
 * The navigation of a phone. Screens without a place in it are marked as part of `more`, except the
 * setup, which is no entry of it.
 */
function Bar() {
  const { pathname } = useLocation()
  const inBar = places.slice(0, barPlacesMax)
  const isElsewhere =
    !pathname.startsWith('/setup') &&
    !inBar.some(({ to }) => (to === '/' ? pathname === to : pathname.startsWith(to)))
  return (
    <nav aria-label={frameWords.navigation} className={styles.bar}>
      {[...inBar, more].map(({ to, text, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === '/', includeSearch: false }}
          {...(to === more.to && isElsewhere ? { 'aria-current': 'page' } : {})}
        >
          <Icon size={20} aria-hidden />
          <span>{text}</span>
        </Link>
      ))}
    </nav>
  )
}

/** Controls for the preferences of this browser, and the sign-out. */
function Controls() {
  const { areAmountsHidden } = usePreferences()
  const signOut = useSignOut()
  const Icon = areAmountsHidden ? Eye : EyeOff
  return (
    <div className={styles.controls}>
      <ThemeChoice />
      <button type="button" onClick={() => setPreferences({ areAmountsHidden: !areAmountsHidden })}>
        <Icon size={18} aria-hidden />
        {areAmountsHidden ? frameWords.showAmounts : frameWords.hideAmounts}
      </button>
      <button type="button" onClick={signOut}>
        <LogOut size={18} aria-hidden />
        {frameWords.signOut}
      </button>
    </div>
  )
}
