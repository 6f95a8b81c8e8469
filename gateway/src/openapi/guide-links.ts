import type { JsonSchema } from '../http/answers/answer.ts'
import { guides, slugOf } from './guides.ts'

/**
 * Returns a copy of the document in which names of pages in `docs/` are links to the guides beside
 * the reference page: readers may not have the repository. `externalUrl` is the URL of the server
 * for clients; if it is empty, links are paths. Throws an error for a page that is no guide.
 */
export function linkGuides(document: JsonSchema, externalUrl: string): JsonSchema {
  const base = `${externalUrl.replace(/\/+$/, '')}/api/reference`
  const text = JSON.stringify(document, (key, value) =>
    key === 'description' && typeof value === 'string' ? linked(value, base) : value,
  )
  return JSON.parse(text)
}

function linked(description: string, base: string): string {
  return description.replaceAll(/\bdocs\/([\w/-]+\.md)(#[\w-]+)?/g, (_, path, anchor = '') => {
    const slug = slugOf(path)
    if (guides.get(slug) !== path) throw new Error(`docs/${path} is no guide of the reference`)
    return `[${slug}](${base}/${slug}${anchor})`
  })
}
