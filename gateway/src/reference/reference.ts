import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { refused } from '@coffer/kit/rpc/errors'
import { Eta } from 'eta'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { JsonSchema } from '../http/answers/answer.ts'
import type { RoutedPath } from '../http/route.ts'
import { contents, guides, slugOf } from '../openapi/guides.ts'
import { type RenderedGuide, renderGuide, renderText } from './markdown.ts'
import { operationDetail, operationGroups } from './operations.ts'
import { createAddressPage } from './served-address.ts'
import type { Shape } from './shape.ts'
import { type StaticFile, sendStatic, staticFile } from './static-file.ts'

const views = fileURLToPath(new URL('../../pages', import.meta.url))
const docs = fileURLToPath(new URL('../../../docs', import.meta.url))
const html = new Eta({ views, autoEscape: true, cache: true, defaultExtension: '.html.eta' })

const htmlType = 'text/html; charset=utf-8'

/**
 * CSP of the reference and its guides: scripts, styles and requests of this server only. `data:` is
 * for the empty icon and for images in answers.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Media types of the static files by name. */
const assetTypes: Record<string, string> = {
  'reference.css': 'text/css; charset=utf-8',
  'operations.css': 'text/css; charset=utf-8',
  'reference.js': 'text/javascript; charset=utf-8',
  'request.js': 'text/javascript; charset=utf-8',
}

/** Paths of the reference, registered so that other methods are refused with 405. */
const paths = [
  '/api/reference',
  '/api/reference/:guide',
  '/api/reference/operations/:id',
  '/api/reference/assets/:name',
]

/** Settings of the reference, and the OpenAPI document of this server. */
interface ReferenceDeps {
  externalUrl: string
  document: () => JsonSchema
}

/**
 * Registers the reference page, the pages of its operations, its guides and its assets, and returns
 * their paths. They need no credential: requests that the page sends have the API key that the user
 * enters.
 */
export function mountReference(app: FastifyInstance, deps: ReferenceDeps): RoutedPath[] {
  const files = lazyFiles(deps.document)
  const addressPage = createAddressPage(deps.externalUrl)
  const handlers = [
    () => files.page(),
    ({ params }: FastifyRequest) => files.guide((params as { guide: string }).guide),
    ({ params }: FastifyRequest) => files.operation((params as { id: string }).id),
    ({ params }: FastifyRequest) => files.asset((params as { name: string }).name),
  ]
  for (const [at, url] of paths.entries()) {
    app.route({
      method: ['GET', 'HEAD'],
      url,
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        const file = handlers[at]?.(request)
        if (file === undefined) throw refused('no such page of the reference', { status: 404 })
        if (file.type !== htmlType) return sendStatic(request, reply, file)
        reply.header('content-security-policy', policy)
        return sendStatic(request, reply, addressPage(file, request))
      },
    })
  }
  return paths.map((path) => ({ method: 'GET', path }))
}

interface Files {
  page: () => StaticFile
  guide: (slug: string) => StaticFile | undefined
  operation: (id: string) => StaticFile | undefined
  asset: (name: string) => StaticFile | undefined
}

interface Shown {
  /** Last segment of a guide's URL; empty for a page of operations. */
  slug: string
  title: string
  html: string
  /** Relative prefix of the page's links to `/api`. */
  up: string
  /** Relative prefix of the page's links to guides and assets. */
  base: string
  isOfOperations: boolean
  /** Sections of the page in the table of contents. */
  tags: { anchor: string; name: string }[]
}

/** Returns the files of the reference. Each is read and rendered lazily, and then cached. */
function lazyFiles(document: () => JsonSchema): Files {
  const assets = new Map(
    Object.entries(assetTypes).map(([name, type]) => [
      name,
      once(() => staticFile(type, readFileSync(join(views, name)))),
    ]),
  )
  const urlsOf = (base: string, names: string[]) =>
    names.map((name) => `${base}assets/${name}?v=${assets.get(name)?.().hash}`)
  const rendered = new Map(
    [...guides].map(([slug, path]) => [
      slug,
      once(() => renderGuide(path, readFileSync(join(docs, path), 'utf8'))),
    ]),
  )
  const shell = ({ base, isOfOperations, ...shown }: Shown) => {
    const text = html.render('reference', {
      ...shown,
      base,
      groups: navigation((slug) => rendered.get(slug)?.()),
      styles: urlsOf(base, ['reference.css', ...(isOfOperations ? ['operations.css'] : [])]),
      scripts: urlsOf(base, isOfOperations ? ['reference.js'] : []),
    })
    return staticFile(htmlType, text)
  }
  const guidePages = new Map(
    [...rendered].map(([slug, guide]) => [
      slug,
      once(() => {
        const { title, html: text } = guide()
        const content = `<article>\n${text}</article>`
        return shell({ ...inside, slug, title, html: content, up: '../', base: '' })
      }),
    ]),
  )
  const kept = once(document)
  const operationPages = new Map<string, StaticFile>()
  const operationPage = (id: string) => {
    const operation = operationDetail(kept(), id)
    if (operation === undefined) return undefined
    const inline = (text: string) => renderText(text, '../')
    const fields = (shape: Shape, title: string): string =>
      html.render('shape', { shape, title, inline, fields })
    const content = html.render('operation', { operation, inline, fields, breakable })
    const place = { ...inside, slug: '', up: '../../', base: '../', isOfOperations: true }
    const made = shell({ ...place, title: operation.summary, html: content })
    operationPages.set(id, made)
    return made
  }
  return {
    page: once(() => shell(listPage(kept()))),
    guide: (slug) => guidePages.get(slug)?.(),
    operation: (id) => operationPages.get(id) ?? operationPage(id),
    asset: (name) => assets.get(name)?.(),
  }
}

const inside = { isOfOperations: false, tags: [] }

/** Returns the main page of the reference: all operations by tag. */
function listPage(document: JsonSchema): Shown {
  const groups = operationGroups(document).map((group) => {
    return { ...group, anchor: group.name.toLowerCase().replaceAll(' ', '-') }
  })
  return {
    slug: '',
    title: 'API reference',
    html: html.render('operations', { groups, breakable }),
    up: '',
    base: 'reference/',
    isOfOperations: true,
    tags: groups,
  }
}

/** Returns a path as HTML that can wrap before each slash. */
function breakable(path: string): string {
  return path.replaceAll('/', '<wbr>/').replace('<wbr>', '')
}

/**
 * Returns the navigation: groups of links to guides and to sections of them, with titles as HTML.
 */
function navigation(guideOf: (slug: string) => RenderedGuide | undefined) {
  return contents.map(({ title, entries }) => ({
    title,
    links: entries.map((entry) => {
      const [path = '', anchor] = entry.split('#')
      const slug = slugOf(path)
      const headings = guideOf(slug)?.headings ?? []
      const heading = headings.find((one) => one.anchor === anchor) ?? headings[0]
      const isSection = anchor !== undefined
      return { url: isSection ? `${slug}#${anchor}` : slug, html: heading?.html, isSection }
    }),
  }))
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
