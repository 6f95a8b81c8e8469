import { plainText } from '../../format/plain-text.ts'
import type { HelpPage } from './help-page.ts'

/**
 * Returns the pages that contain all words of a search, in title or text and in any order. Case and
 * accents do not matter.
 */
export function findPages(pages: readonly HelpPage[], search: string): HelpPage[] {
  const wanted = plainText(search).split(/\s+/).filter(Boolean)
  return pages.filter((page) => {
    const text = plainText(`${page.title} ${textsOf([page.about, page.blocks]).join(' ')}`)
    return wanted.every((word) => text.includes(word))
  })
}

/** Collects all texts in the nested parts of a page. */
function textsOf(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return []
  const own = 'text' in part && typeof part.text === 'string' ? [part.text] : []
  return [...own, ...Object.values(part).flatMap(textsOf)]
}
