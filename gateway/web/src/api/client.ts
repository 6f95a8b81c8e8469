import { createClient } from '@coffer/client'
import { basePath } from '../base-path.ts'
import { OfflineError, withAnswer } from '../offline/offline-error.ts'
import { loadRefusals } from '../words/refusals.ts'
import { fetchRevalidated } from './revalidation.ts'

/** Asks for problem details: they have the code by which the app says a refusal in its language. */
async function fetchCoded(request: Request): Promise<Response> {
  const { headers } = request
  const asked = headers.get('accept') ?? 'application/json, */*;q=0.1'
  headers.set('accept', `${asked}, application/problem+json`)
  const isChange = request.method !== 'GET'
  if (isChange) void loadRefusals()
  const response = await withAnswer(request, () => fetchRevalidated(request))
  // Changes have hints. A read that is 401 leads to the sign-in, where its text is not shown.
  if (isChange || (!response.ok && response.status !== 401)) await loadRefusals()
  return response
}

/** The client of the API. The browser sends the cookie of the session by itself. */
export const coffer = createClient({
  baseUrl: new URL(basePath, location.href).href,
  fetch: fetchCoded as typeof fetch,
  isFinal: (error) => error instanceof OfflineError && error.isFinal,
  timeoutMs: 30_000,
})
