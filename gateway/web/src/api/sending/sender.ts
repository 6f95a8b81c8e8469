import { basePath } from '../../base-path.ts'

/** Build of this page: seconds since 1970, a dot, a hash; empty in development. */
const own = globalThis.document?.documentElement.dataset.build ?? ''

let isOld = false

/** ID of the user whose screens this tab shows; null before the server has named it. */
let userId: string | null = null

/** Sets the user whose screens this tab shows; null at the end of the session. */
export function setSender(id: string | null): void {
  userId = id
}

/**
 * States in a request for whom it is, and of which build the app is. Tabs share the cookie of the
 * session, so another tab may have signed in as another user. The server refuses requests for
 * another user, and changes of a former build (docs/api/pages.md).
 */
export function stateSender(request: Request): void {
  if (userId !== null) request.headers.set('coffer-user', userId)
  if (own !== '' && !isOfSession(request)) request.headers.set('coffer-build', own)
}

/** Notes the build in an answer: dispatches `coffer-upgraded` once it is newer than this page. */
export function noteBuild({ headers }: Response): void {
  const [time, hash] = headers.get('coffer-build')?.split('.') ?? []
  const [ownTime, ownHash] = own.split('.')
  if (isOld || own === '' || hash === ownHash || !(Number(time) > Number(ownTime))) return
  isOld = true
  dispatchEvent(new Event('coffer-upgraded'))
}

/** Returns whether the server has a newer build than this page. */
export function isOutdated(): boolean {
  return isOld
}

/**
 * Returns the server's refusal of a change of a former build, in its place, once this page knows
 * that it is one; null for any other change. A sign-in, a sign-out and a POST that only reads,
 * which has no Idempotency-Key, are always sent.
 */
export function refusalOfOld(request: Request): Response | null {
  const isRead = request.method === 'POST' && !request.headers.has('idempotency-key')
  if (!isOld || isRead || isOfSession(request)) return null
  const refusal = { status: 409, code: 'APP_OUTDATED', detail: 'the page is of a former build' }
  const headers = { 'content-type': 'application/problem+json' }
  return new Response(JSON.stringify(refusal), { status: 409, headers })
}

function isOfSession({ url }: Request): boolean {
  return new URL(url).pathname.startsWith(`${basePath}api/authentication/`)
}
