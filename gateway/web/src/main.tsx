import '@fontsource-variable/inter/wght.css'
import './tokens.css'
import './base.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { noteSession } from './api/live/session-end.ts'
import { eraseAnswers, forgetSession, queries } from './api/query-client.ts'
import { watchServer } from './api/sending/server-watch.ts'
import { basePath } from './base-path.ts'
import { apply } from './preferences/preferences.ts'
import { router } from './routes.tsx'
import { hasUnsaved, nameLostPart } from './shell/upgrade.ts'
import { language } from './words/languages/texts.ts'

apply()
watchServer()
document.documentElement.lang = language

/**
 * Delay in ms before the service worker precaches, so that it does not slow down the first screen.
 */
const settledMs = 4_000
setTimeout(
  () => void import('./offline/device.ts').then((device) => device.applyDevice()).catch(() => {}),
  settledMs,
)

addEventListener('vite:preloadError', ({ payload }) => nameLostPart(payload))

const leave = (ended: 'here' | 'elsewhere') => {
  const { href: next, pathname } = router.state.location
  if (pathname === '/login') return
  const search = { next, ended }
  // An open dialog covers the former screen until the sign-in has replaced it.
  void router.navigate({ to: '/login', search, ignoreBlocker: true }).then(() => {
    forgetSession()
    noteSession(false)
  })
}

const hasScreen = () => router.state.matches.some(({ routeId }) => routeId === '/frame')

const mustKeepScreen = () => hasScreen() && hasUnsaved()

// The user has signed out in another tab: this tab opens the sign-in, too; over a screen with
// unsaved entries, which it hides.
addEventListener('coffer-left', () => {
  if (!mustKeepScreen()) return leave('here')
  eraseAnswers()
  noteSession(true, 'tab')
})

// Another user has signed in: this tab opens the app for them, or keeps unsaved entries hidden.
addEventListener('coffer-other-user', () => {
  if (mustKeepScreen()) noteSession(true, 'person')
  else location.assign(basePath)
})

// The session has ended elsewhere: the sign-in opens over the screen, which keeps its entries.
addEventListener('coffer-signed-out', () => {
  if (hasScreen()) noteSession(true)
  else leave('elsewhere')
})

const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
}
