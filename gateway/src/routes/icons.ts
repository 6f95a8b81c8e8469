import { z } from 'zod'
import { searchIcon } from '../charts/icons.ts'
import { phrase } from '../http/fields/fields.ts'
import { type Route, route } from '../http/route.ts'

const text = { type: 'string' }
const iconSchema = {
  type: 'object',
  properties: {
    title: { description: 'Name of the brand', anyOf: [text, { type: 'null' }] },
    slug: { ...text, description: 'Name of the icon in its library' },
    library: { ...text, description: 'Library that the icon is from' },
    svg: { ...text, contentEncoding: 'base64', description: 'The icon: an SVG image in base64' },
    colors: {
      description: 'Colors of the brand, six hexadecimal digits each',
      anyOf: [{ type: 'array', items: text }, { type: 'null' }],
    },
  },
  required: ['title', 'slug', 'library', 'svg', 'colors'],
}

/** Returns the routes of brands' icons (docs/api.md#icons). */
export function iconRoutes(): Route[] {
  return [
    route({
      id: 'searchIcon',
      tag: 'Server',
      method: 'POST',
      path: '/api/icons/search',
      summary: 'The icon of the brand in a name; 204 where there is none',
      description: 'Searches for the name of a brand within the text (docs/api.md#icons).',
      since: '0.1.0',
      auth: 'key',
      reads: true,
      body: z.strictObject({
        name: phrase.describe('Text that may contain the name of a brand, up to 1,000 characters'),
      }),
      answer: { json: iconSchema },
      answers: { 204: 'No word of the name is a brand' },
      handler: async ({ body, reply }) => (await searchIcon(body.name)) ?? reply.code(204).send(),
    }),
  ]
}
