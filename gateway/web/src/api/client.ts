import { createClient } from '@coffer/client'
import { fetchRevalidated } from './revalidation.ts'

/** Path at which the gateway serves the app: `/`, or the path of COFFER_EXTERNAL_URL. */
export const basePath = document.documentElement.dataset.base ?? '/'

/** The client of the API. The browser sends the cookie of the session by itself. */
export const coffer = createClient({
  baseUrl: new URL(basePath, location.href).href,
  fetch: fetchRevalidated as typeof fetch,
  timeoutMs: 30_000,
})
