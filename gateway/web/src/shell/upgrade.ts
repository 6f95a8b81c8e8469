import { useEffect, useState } from 'react'
import { basePath } from '../base-path.ts'

/** Time between two looks for a newer version while the app is seen, in ms. */
const lookMs = 300_000

/**
 * Returns whether the server has another build than this page: it then names another script, or a
 * part of this page that is loaded only now is gone.
 */
export function useIsOld(): boolean {
  const [isOld, setOld] = useState(false)
  useEffect(() => {
    const notice = () => setOld(true)
    const look = () => {
      if (document.visibilityState === 'visible') void hasOtherScript().then((is) => is && notice())
    }
    // The server is back, maybe a newer one. The browser asks first if something is typed.
    const meet = () => {
      void hasOtherScript().then((is) => {
        if (!is) return
        notice()
        location.reload()
      })
    }
    // The worker may have answered for the page, and the server may be back since: a newer one.
    if (navigator.serviceWorker?.controller) meet()
    const timer = setInterval(look, lookMs)
    document.addEventListener('visibilitychange', look)
    addEventListener('coffer-upgraded', notice)
    addEventListener('coffer-reached', meet)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
      removeEventListener('coffer-upgraded', notice)
      removeEventListener('coffer-reached', meet)
    }
  }, [])
  return isOld
}

/** Reads the page again. A server that does not answer counts as unchanged. */
async function hasOtherScript(): Promise<boolean> {
  const own = document.querySelector<HTMLScriptElement>('script[type=module]:not([async])')
  const name = new URL(own?.src ?? location.href).pathname.split('/').at(-1) ?? ''
  try {
    const answer = await fetch(basePath, { headers: { accept: 'text/html' } })
    return answer.ok && !(await answer.text()).includes(name)
  } catch {
    return false
  }
}
