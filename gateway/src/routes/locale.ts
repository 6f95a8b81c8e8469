import { currencies } from '@coffer/kit/currency'
import { type Route, route } from '../route.ts'

export function localeRoutes(): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/locale/currency',
      summary: 'ISO 4217 codes of the currencies an account can be kept in',
      auth: 'key',
      answer: { json: { type: 'array', items: { type: 'string' } } },
      handler: () => currencies(),
    }),
  ]
}
