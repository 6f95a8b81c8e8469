import { createClient } from '@coffer/client'
import { basePath } from '../base-path.ts'
import { OfflineError, withAnswer } from '../offline/offline-error.ts'
import { loadRefusals } from '../words/refusals.ts'
import { fetchRevalidated } from './revalidation.ts'
import { stateSender } from './sending/sender.ts'

/** Asks for problem details (RFC 9457): their code selects the translated text of a refusal. */
async function fetchCoded(request: Request): Promise<Response> {
  const { headers } = request
  const asked = headers.get('accept') ?? 'application/json, */*;q=0.1'
  headers.set('accept', `${asked}, application/problem+json`)
  stateSender(request)
  const isChange = request.method !== 'GET'
  if (isChange) void loadRefusals()
  const response = await withAnswer(request, () => fetchRevalidated(request))
  // Loads the texts of refusals and hints: only changes have hints. A GET with 401 needs no text,
  // as it opens the sign-in.
  if (isChange || (!response.ok && response.status !== 401)) await loadRefusals()
  return response
}

/** The client of the API. The browser attaches the session cookie. */
export const coffer = createClient({
  baseUrl: new URL(basePath, location.href).href,
  fetch: fetchCoded as typeof fetch,
  isFinal: (error) => error instanceof OfflineError && error.isFinal,
  timeoutMs: 30_000,
})
