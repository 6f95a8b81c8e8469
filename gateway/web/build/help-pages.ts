import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { imageSize } from 'image-size'
import { Marked, type Token, type Tokens } from 'marked'
import type { Plugin } from 'vite'
import type { Block, HelpPage, Inline } from '../src/screens/help/help-page.ts'
import type { HelpName } from '../src/words/frame.ts'
import { help } from '../src/words/languages/en/help.ts'

const using = resolve(import.meta.dirname, '../../../docs/using')
const isPages = /\/screens\/help\/pages-([a-z]+)\.ts$/

const pageNames = Object.keys(help.pages) as HelpName[]

/** Pixels of a picture for each CSS pixel (`npm run pictures`). */
const density = 2

/**
 * Plug-in that puts the pages of `docs/using` into the app, as data: the CSP with Trusted Types
 * lets no text become markup. Their pictures become files of the build.
 */
export function helpPages(): Plugin {
  return {
    name: 'coffer-help-pages',
    enforce: 'pre',
    load(file) {
      const [, language] = isPages.exec(file) ?? []
      if (language === undefined) return null
      const pages = readHelp(language)
      for (const name of pageNames) this.addWatchFile(fileOf(language, name))
      const files = pages.flatMap(({ blocks }) => blocks.flatMap(pictureOf))
      const imports = files.map((path, at) => `import p${at} from ${JSON.stringify(path)}`)
      const code = files.reduce(
        (text, path, at) => text.replace(`"url":${JSON.stringify(path)}`, `"url":p${at}`),
        JSON.stringify(pages),
      )
      return [...imports, `export const pages = ${code}`].join('\n')
    },
  }
}

function pictureOf(block: Block): string[] {
  return block.kind === 'picture' ? [block.url] : []
}

/** Returns the pages in a language, each `url` of a picture as a path of this machine. */
export function readHelp(language: string): HelpPage[] {
  return pageNames.map((name) => {
    const file = fileOf(language, name)
    const [heading, about, ...blocks] = blocksOf(
      new Marked().lexer(readFileSync(file, 'utf8')),
      file,
    )
    if (heading?.kind !== 'heading' || about?.kind !== 'paragraph') {
      throw new Error(`${file} does not begin with a heading and a paragraph`)
    }
    return { name, title: plain(heading.parts), about: about.parts, blocks }
  })
}

function fileOf(language: string, name: HelpName): string {
  return join(using, language === 'en' ? '' : language, `${name}.md`)
}

function blocksOf(tokens: Token[], file: string): Block[] {
  return tokens.filter(({ type }) => type !== 'space').map((token) => blockOf(token, file))
}

function blockOf(token: Token, file: string): Block {
  const partsOf = (tokens: Token[] | undefined) => inlinesOf(tokens ?? [], file)
  switch (token.type) {
    case 'heading': {
      const parts = partsOf(token.tokens)
      return { kind: 'heading', level: token.depth, anchor: anchorOf(plain(parts)), parts }
    }
    case 'paragraph': {
      const [first] = token.tokens ?? []
      if (first?.type === 'image') return picture(first as Tokens.Image, file)
      return { kind: 'paragraph', parts: partsOf(token.tokens) }
    }
    case 'text':
      return { kind: 'paragraph', parts: partsOf(token.tokens) }
    case 'list': {
      const { ordered, items } = token as Tokens.List
      return {
        kind: 'list',
        isOrdered: ordered,
        items: items.map((item) => blocksOf(item.tokens, file)),
      }
    }
    case 'table': {
      const { header, rows } = token as Tokens.Table
      const cells = (row: Tokens.TableCell[]) => row.map(({ tokens }) => partsOf(tokens))
      return { kind: 'table', head: cells(header), rows: rows.map(cells) }
    }
    case 'code':
      return { kind: 'code', text: token.text }
    default:
      throw new Error(`${file}: the help shows no ${token.type}`)
  }
}

/** Returns a picture, or its alternative text if `npm run pictures` has not drawn it yet. */
function picture({ href, text: alt }: Tokens.Image, file: string): Block {
  const url = resolve(dirname(file), href)
  if (!existsSync(url)) return { kind: 'paragraph', parts: [{ kind: 'text', text: alt }] }
  const { width, height } = imageSize(readFileSync(url))
  return { kind: 'picture', url, alt, width: width / density, height: height / density }
}

function inlinesOf(tokens: Token[], file: string): Inline[] {
  return tokens.flatMap((token): Inline[] => {
    const parts = () => inlinesOf(('tokens' in token && token.tokens) || [], file)
    switch (token.type) {
      case 'text':
      case 'escape':
        return [{ kind: 'text', text: token.text.replaceAll('\n', ' ') }]
      case 'codespan':
        return [{ kind: 'code', text: token.text }]
      case 'strong':
      case 'em':
        return [{ kind: token.type, parts: parts() }]
      case 'link':
        return linkOf((token as Tokens.Link).href, parts(), file)
      default:
        throw new Error(`${file}: the help shows no ${token.type}`)
    }
  })
}

/** A link to a page of the help; of a link to any other page, only the text remains. */
function linkOf(href: string, parts: Inline[], file: string): Inline[] {
  const [path = '', anchor] = href.split('#')
  const page = pageNames.find((name) => `${name}.md` === path)
  if (page !== undefined) return [{ kind: 'link', parts, page, anchor }]
  if (path === '') throw new Error(`${file}: name the page of ${href}`)
  return parts
}

/** Returns the anchor of a heading as GitHub forms it. */
function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
}

/** Returns the text of a part of a page, without its marks. */
export function plain(parts: Inline[]): string {
  return parts.map((one) => ('text' in one ? one.text : plain(one.parts))).join('')
}
