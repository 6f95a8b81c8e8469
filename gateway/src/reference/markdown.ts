import { posix } from 'node:path'
import { Marked, type Tokens } from 'marked'
import { guides, slugOf } from '../openapi/guides.ts'

/** A heading of a page; `anchor` is the fragment of its URL. */
export interface Heading {
  anchor: string
  /** The heading's text as HTML. */
  html: string
}

/** A rendered page of `docs/`. */
export interface RenderedGuide {
  /** The first heading as plain text. */
  title: string
  html: string
  headings: Heading[]
}

/**
 * Renders a page of `docs/` (GitHub Flavored Markdown) as HTML. `path` is its path within `docs/`.
 * Anchors of headings are the same as on GitHub. A link to another page of the reference points to
 * its URL there; a link to any other file becomes plain text.
 */
export function renderGuide(path: string, markdown: string): RenderedGuide {
  const headings: Heading[] = []
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading): string {
        const html = this.parser.parseInline(tokens)
        const anchor = freeAnchor(plain(html), headings)
        headings.push({ anchor, html })
        return `<h${depth} id="${anchor}"><a href="#${anchor}">${html}</a></h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link): string {
        const html = this.parser.parseInline(tokens)
        const url = urlOf(path, href)
        return url === null ? html : `<a href="${url}">${html}</a>`
      },
    },
  })
  // A wide table or code block scrolls by itself. Focusable, because keyboards scroll only focused
  // elements.
  const html = marked
    .parse(markdown, { async: false })
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0">')
  return { title: plain(headings[0]?.html ?? ''), html, headings }
}

/**
 * Renders inline Markdown of the OpenAPI document as HTML. Absolute URLs of guides become links
 * that begin with `base`, so that they stay on the server of this page.
 */
export function renderText(text: string, base: string): string {
  const own = text.replaceAll(/\]\([^()\s]*\/api\/reference\//g, `](${base}`)
  return new Marked().parseInline(own, { async: false })
}

/** Returns the URL of a link, relative to the page; null for a file outside the reference. */
function urlOf(path: string, href: string): string | null {
  if (/^(https?:|#)/.test(href)) return href
  const [file = '', anchor] = href.split('#')
  const target = posix.join(posix.dirname(path), file)
  const slug = slugOf(target)
  if (guides.get(slug) !== target) return null
  return anchor === undefined ? slug : `${slug}#${anchor}`
}

function plain(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

/** Returns an anchor as GitHub generates it; repeated ones get a number. */
function freeAnchor(text: string, taken: Heading[]): string {
  const kept = text.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
  const anchor = kept.trim().replaceAll(' ', '-')
  const isTaken = (one: string) => taken.some((heading) => heading.anchor === one)
  for (let count = 0; ; count += 1) {
    const numbered = count === 0 ? anchor : `${anchor}-${count}`
    if (!isTaken(numbered)) return numbered
  }
}
