import { currencies } from '@coffer/kit/values/currency'
import { type Route, route } from '../../http/route.ts'

/** Routes of locales (docs/sign-in.md#locale-timezone-and-currency). */
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
