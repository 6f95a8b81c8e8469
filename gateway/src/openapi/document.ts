import { cookieNames } from '../auth/cookie.ts'
import type { JsonSchema } from '../http/answers/answer.ts'
import { headers } from '../http/answers/headers.ts'
import type { Route } from '../http/route.ts'
import { tags } from '../http/tags.ts'
import { errorSchemas } from './errors.ts'
import { linkGuides } from './guide-links.ts'
import { operationOf } from './operation.ts'
import { refusalResponses } from './refusals.ts'
import type { Schemas } from './schemas.ts'

const description = `Envelope budgeting: links to banks, bank accounts, transactions, and expenses
and goals that funding schedules fill.

Amounts are integers in minor units of the currency. Instants are RFC 3339 in UTC. An API key is
sent by HTTP Basic: its ID as the user name, its secret as the password. Every path that answers GET
answers HEAD too. Unknown keys of a body are refused, and unknown query parameters by writes and by
lists with filters; other reads ignore them. Keys may be added to answers: ignore those that you do
not know. A guide to begin with: docs/api/first-ten-minutes.md; conventions of every operation:
docs/api.md.`

/** Settings of the server that the document contains. */
export interface DocumentSettings {
  cookieName: string
  /** URL of the server for clients; empty if it is not configured. */
  externalUrl: string
}

/**
 * Returns the OpenAPI 3.1 document, generated from the schemas that validate requests and render
 * answers. HEAD is left out: a generated client would have each GET method twice.
 */
export function openapi(
  routes: Route[],
  { cookieName, externalUrl }: DocumentSettings,
): JsonSchema {
  const schemas: Schemas = { ...errorSchemas }
  const names = cookieNames({ cookieName, externalUrl })
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][route.method.toLowerCase()] = operationOf(route, schemas)
  }
  const used = JSON.stringify(paths)
  const responses = refusalResponses().filter(([name]) =>
    used.includes(`"#/components/responses/${name}"`),
  )
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Coffer',
      version: '1',
      description: description.replaceAll(/(\S)\n(?=\S)/g, '$1 '),
    },
    servers: [{ url: externalUrl.replace(/\/+$/, '') || '/', description: 'This server' }],
    tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
    paths,
    components: {
      schemas,
      responses: Object.fromEntries(responses),
      headers,
      securitySchemes: {
        key: { type: 'http', scheme: 'basic', description: 'API key: its ID and its secret' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: externalUrl.startsWith('https://') ? names.secure : names.plain,
          description:
            'Session of a browser; sign-in sets the cookie. Where clients use https, its name ' +
            'begins with `__Host-`, below a path with `__Secure-`',
        },
      },
    },
  }
  return linkGuides(document, externalUrl)
}
