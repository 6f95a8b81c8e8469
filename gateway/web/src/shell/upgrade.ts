import { useEffect, useState } from 'react'
import { queries } from '../api/query-client.ts'
import { isOutdated } from '../api/sending/sender.ts'
import { basePath, ownName } from '../base-path.ts'
import { hasEntries } from '../controls/entries/entries.ts'

/** Interval in ms between checks for a newer version while the app is visible. */
const lookMs = 300_000

const lostPart = 'A part of the app cannot be loaded'

/**
 * Marks the error of a chunk that cannot be loaded: after an upgrade its file is gone, or the
 * server is unreachable. Replaces the browser's message, for which the router would reload the
 * page, even without a server.
 */
export function nameLostPart(error: Error): void {
  error.message = lostPart
}

export function isLostPart(error: unknown): boolean {
  return error instanceof Error && error.message === lostPart
}

/** Hook: returns whether the server has another build than this page. */
export function useIsOld(): boolean {
  const [isOld, setOld] = useState(isOutdated)
  useEffect(() => {
    const notice = () => setOld(true)
    const look = () => {
      if (document.visibilityState !== 'visible') return
      void findServedBuild().then((build) => build === 'other' && notice())
    }
    // When the server answers again after an outage, reloads the page if the server was upgraded
    // meanwhile; not with entries, or while a change is sent.
    const meet = () => {
      void findServedBuild().then((build) => {
        if (build !== 'other') return
        notice()
        if (!hasUnsaved() && mayReload()) location.reload()
      })
    }
    // Checked at once, too: the service worker may have served this page from its cache while a
    // newer build is available.
    if (navigator.serviceWorker?.controller) meet()
    const timer = setInterval(look, lookMs)
    document.addEventListener('visibilitychange', look)
    addEventListener('coffer-reached', meet)
    addEventListener('coffer-upgraded', notice)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
      removeEventListener('coffer-reached', meet)
      removeEventListener('coffer-upgraded', notice)
    }
  }, [])
  return isOld
}

/** Returns whether this page has entries that are not saved, or sends a change. */
export function hasUnsaved(): boolean {
  return hasEntries() || queries.isMutating() > 0
}

const place = ownName('coffer-reloaded')

/**
 * Returns whether the page may reload by itself: once for each build, because while replicas of two
 * versions run, a reload may get the former page again.
 */
function mayReload(): boolean {
  try {
    const own = ownScript()
    if (sessionStorage.getItem(place) === own) return false
    sessionStorage.setItem(place, own)
    return true
  } catch {
    return false
  }
}

/** Returns the name of this page's script, whose hash is that of the build. */
function ownScript(): string {
  const own = document.querySelector<HTMLScriptElement>('script[type=module]:not([async])')
  return new URL(own?.src ?? location.href).pathname.split('/').at(-1) ?? ''
}

/** The server's build compared with that of this page; null without an answer. */
export type ServedBuild = 'same' | 'other' | null

/** Fetches the HTML page, and compares its script URL with that of this page. */
export async function findServedBuild(): Promise<ServedBuild> {
  try {
    const answer = await fetch(basePath, { headers: { accept: 'text/html' } })
    if (!answer.ok) return null
    return (await answer.text()).includes(ownScript()) ? 'same' : 'other'
  } catch {
    return null
  }
}
