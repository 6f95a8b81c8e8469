import { useEffect, useState } from 'react'
import { basePath } from '../base-path.ts'

/** Time between two looks for a newer version while the app is seen, in ms. */
const lookMs = 300_000

const lostPart = 'A part of the app cannot be loaded'

/**
 * Names the error of a part of this page that is loaded only now: a newer version has other files,
 * or the server is away. For the message of the browser the router reloads, also without a server.
 */
export function nameLostPart(error: Error): void {
  error.message = lostPart
}

export function isLostPart(error: unknown): boolean {
  return error instanceof Error && error.message === lostPart
}

/** Returns whether the server has another build than this page. */
export function useIsOld(): boolean {
  const [isOld, setOld] = useState(false)
  useEffect(() => {
    const notice = () => setOld(true)
    const look = () => {
      if (document.visibilityState !== 'visible') return
      void findServedBuild().then((build) => build === 'other' && notice())
    }
    // The server is back, maybe a newer one. The browser asks first if something is typed.
    const meet = () => {
      void findServedBuild().then((build) => {
        if (build !== 'other') return
        notice()
        location.reload()
      })
    }
    // The worker may have answered for the page, and the server may be back since: a newer one.
    if (navigator.serviceWorker?.controller) meet()
    const timer = setInterval(look, lookMs)
    document.addEventListener('visibilitychange', look)
    addEventListener('coffer-reached', meet)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
      removeEventListener('coffer-reached', meet)
    }
  }, [])
  return isOld
}

/** The build that the server has, beside that of this page; null without an answer. */
export type ServedBuild = 'same' | 'other' | null

/** Reads the page again, and looks for the script of this one. */
export async function findServedBuild(): Promise<ServedBuild> {
  const own = document.querySelector<HTMLScriptElement>('script[type=module]:not([async])')
  const name = new URL(own?.src ?? location.href).pathname.split('/').at(-1) ?? ''
  try {
    const answer = await fetch(basePath, { headers: { accept: 'text/html' } })
    if (!answer.ok) return null
    return (await answer.text()).includes(name) ? 'same' : 'other'
  } catch {
    return null
  }
}
