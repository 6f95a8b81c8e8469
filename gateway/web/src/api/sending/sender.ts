/** ID of the user whose screens this tab shows; null before the server has named it. */
let userId: string | null = null

/** Sets the user whose screens this tab shows; null at the end of the session. */
export function setSender(id: string | null): void {
  userId = id
}

/**
 * States in a request for whom it is: tabs share the cookie of the session, so another tab may have
 * signed in as another user. The server refuses a request for another user (docs/api/pages.md).
 */
export function stateSender({ headers }: Request): void {
  if (userId !== null) headers.set('coffer-user', userId)
}
