import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { refused } from '@coffer/kit/rpc/errors'
import { Eta } from 'eta'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RoutedPath } from '../http/route.ts'
import { contents, guides, slugOf } from './guides.ts'
import { type RenderedGuide, renderGuide } from './markdown.ts'
import { createAddressPage } from './served-address.ts'
import { type StaticFile, sendStatic, staticFile } from './static-file.ts'

const views = fileURLToPath(new URL('../../pages', import.meta.url))
const docs = fileURLToPath(new URL('../../../docs', import.meta.url))
const html = new Eta({ views, autoEscape: true, cache: true, defaultExtension: '.html.eta' })
const { resolve } = createRequire(import.meta.url)

const htmlType = 'text/html; charset=utf-8'

/**
 * CSP of the reference and its guides: scripts and styles of this server alone, and requests to it
 * alone. Swagger UI needs `data:` for its icons, and neither inline styles nor `eval`.
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

/** Paths of the reference, as routes that other methods are refused for. */
const paths = ['/api/reference', '/api/reference/:guide', '/api/reference/assets/:name']

/**
 * Registers the reference page, its guides and its assets, and returns their paths. They need no
 * credential: a request that the page sends has the API key that its reader enters.
 */
export function mountReference(
  app: FastifyInstance,
  { externalUrl }: { externalUrl: string },
): RoutedPath[] {
  const files = lazyFiles()
  const addressPage = createAddressPage(externalUrl)
  const handlers = [
    () => files.page(),
    ({ params }: FastifyRequest) => files.guide((params as { guide: string }).guide),
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
  asset: (name: string) => StaticFile | undefined
}

/** Returns the files of the reference. Each is read and rendered at its first use, and kept. */
function lazyFiles(): Files {
  const assets = new Map(
    Object.entries(assetPaths()).map(([name, { path, type }]) => [
      name,
      once(() => staticFile(type, readFileSync(path))),
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
  const shell = (to: { slug: string; title: string; html: string }) => {
    const isReference = to.slug === ''
    const base = isReference ? 'reference/' : ''
    const text = html.render('reference', {
      ...to,
      base,
      groups: navigation((slug) => rendered.get(slug)?.()),
      styles: urlsOf(base, [...(isReference ? ['swagger-ui.css'] : []), 'reference.css']),
      scripts: urlsOf(base, isReference ? ['swagger-ui.js', 'reference.js'] : []),
    })
    return staticFile(htmlType, text)
  }
  const guidePages = new Map(
    [...rendered].map(([slug, guide]) => [slug, once(() => shell({ slug, ...guide() }))]),
  )
  return {
    page: once(() => shell({ slug: '', title: 'API reference', html: '' })),
    guide: (slug) => guidePages.get(slug)?.(),
    asset: (name) => assets.get(name)?.(),
  }
}

/** Returns the files that the pages load: those of Swagger UI from its package, and our own. */
function assetPaths(): Record<string, { path: string; type: string }> {
  const css = 'text/css; charset=utf-8'
  const script = 'text/javascript; charset=utf-8'
  return {
    'swagger-ui.css': { path: resolve('swagger-ui-dist/swagger-ui.css'), type: css },
    'swagger-ui.js': { path: resolve('swagger-ui-dist/swagger-ui-bundle.js'), type: script },
    'reference.css': { path: join(views, 'reference.css'), type: css },
    'reference.js': { path: join(views, 'reference.js'), type: script },
  }
}

/** Returns the groups of links to guides, and to sections of them, with their titles as HTML. */
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
