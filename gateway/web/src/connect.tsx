import '@fontsource-variable/inter/wght.css'
import './tokens.css'
import './base.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { queries } from './api/query-client.ts'
import { apply } from './preferences/preferences.ts'
import { Connect } from './screens/links/connect.tsx'
import { language } from './words/languages/texts.ts'

apply()
document.documentElement.lang = language

const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <QueryClientProvider client={queries}>
      <Connect />
    </QueryClientProvider>,
  )
}
