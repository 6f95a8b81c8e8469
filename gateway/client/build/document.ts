import { openapi } from '@coffer/gateway/openapi/document'
import { createRoutes } from '@coffer/gateway/routes'
import type { Json } from './copy.ts'

/** Returns the OpenAPI document of the gateway's source. */
export function apiDocument(): Json {
  const settings = { cookieName: 'coffer_session', externalUrl: '' }
  return JSON.parse(JSON.stringify(openapi(apiRoutes(), settings)))
}

/** Returns the routes of the gateway's source; their handlers cannot be called. */
export function apiRoutes() {
  return createRoutes(unused())
}

/**
 * Returns dependencies for routes that are declared but not called: a function whose properties and
 * results are the function itself.
 */
function unused(): never {
  const value: object = new Proxy(() => value, { get: () => value, apply: () => value })
  return value as never
}
