import { type Route, route } from '../http/route.ts'
import { type DocumentSettings, openapi } from '../openapi/document.ts'

/** Returns the route of the OpenAPI document, which describes `routes` and itself. */
export function referenceRoutes(routes: Route[], config: DocumentSettings): Route[] {
  const all = [...routes]
  let document: ReturnType<typeof openapi> | undefined
  const reference = route({
    id: 'getOpenApiDocument',
    tag: 'Server',
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This document',
    description:
      'Made from the schemas that check requests and render answers; needs no credential.',
    since: '0.1.0',
    auth: 'none',
    answer: { json: { type: 'object' } },
    handler: () => {
      document ??= openapi(all, config)
      return document
    },
  })
  all.push(reference)
  return [reference]
}
