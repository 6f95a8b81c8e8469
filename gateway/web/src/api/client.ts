import { createClient } from '@coffer/client'
import { basePath } from '../base-path.ts'
import { fetchRevalidated } from './revalidation.ts'

/** The client of the API. The browser sends the cookie of the session by itself. */
export const coffer = createClient({
  baseUrl: new URL(basePath, location.href).href,
  fetch: fetchRevalidated as typeof fetch,
  timeoutMs: 30_000,
})
