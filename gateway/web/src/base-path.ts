/** Path at which the gateway serves the app: `/`, or the path of COFFER_EXTERNAL_URL. */
export const basePath = globalThis.document?.documentElement.dataset.base ?? '/'

/**
 * Returns the name of a thing that all pages of an origin share (storage, channel, lock, cache),
 * with the base path: one host may serve several instances of Coffer.
 */
export function ownName(name: string): string {
  return `${name} ${basePath}`
}
