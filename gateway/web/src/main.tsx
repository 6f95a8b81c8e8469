import '@fontsource-variable/inter/wght.css'
import './tokens.css'
import './base.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { forgetSession, queries } from './api/query-client.ts'
import { apply } from './preferences/preferences.ts'
import { router } from './routes.tsx'

apply()

// A newer version has other files: a part that is loaded only now may be gone.
addEventListener('vite:preloadError', (event) => {
  event.preventDefault()
  dispatchEvent(new Event('coffer-upgraded'))
})

addEventListener('coffer-signed-out', () => {
  const next = router.state.location.href
  if (router.state.location.pathname === '/login') return
  void router.navigate({ to: '/login', search: { next, ended: true } }).then(forgetSession)
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
