import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import staticFiles from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RoutedPath } from '../http/route.ts'
import { connectPage, connectPaths } from './connect-page.ts'

/** The build of the web app (gateway/web/README.md). */
const built = fileURLToPath(new URL('../../web/dist', import.meta.url))

/**
 * CSP of the app: files of this server only. Trusted Types: no string becomes markup or script,
 * except worker URLs by the policy `coffer`. The hash is that of the style with which React Aria
 * prevents scrolling behind a dialog on iOS.
 */
const policy = [
  "default-src 'self'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'sha256-gYiS/BvZvRcK27JIXTuwhZ3hs2+VJ1X+2gUlE+farlg='",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types coffer',
].join('; ')

/** Files beside the page, whose names have no hash. */
const rootFiles = {
  'icon.svg': 'image/svg+xml',
  'icon-180.png': 'image/png',
  'icon-192.png': 'image/png',
  'icon-512.png': 'image/png',
  'icon-maskable.png': 'image/png',
  'manifest.webmanifest': 'application/manifest+json',
  'sample.csv': 'text/csv; charset=utf-8',
}

/**
 * The service worker, beside the page so that its scope is the whole app. Browsers check for a new
 * version at each navigation; its CSP limits its requests.
 */
const workerFile = 'worker.js'
const workerHeaders = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy': "default-src 'self'",
}

/** Paths that are never screens of the app: API, assets, pages of the gateway, and probes. */
const foreign = /^\/(api|assets|password|verify|metrics|health\w*|ready\w*|live\w*)(\/|$)|\.\w+$/

/** The mounted app. */
interface WebApp {
  routes: RoutedPath[]
  /**
   * Returns whether a path without a route may be a screen of the app: a GET or HEAD that accepts
   * HTML. The page's script then renders the screen.
   */
  isScreen: (request: FastifyRequest) => boolean
  /** Sends the page of the app. It is never cached, so that an upgrade takes effect at once. */
  sendPage: (reply: FastifyReply) => FastifyReply
}

/** Settings of the app. */
interface WebAppDeps {
  externalUrl: string
  /** URL of the script of Plaid Link; empty for Plaid's own. */
  aggregatorLinkUrl: string
  /** Folder of the build; null serves no app. */
  folder?: string | null | undefined
}

/** Returns the ID of the build in a folder, as its page states it; null without one. */
export function readBuild(folder: string | null = built): string | null {
  const page = folder === null ? '' : join(folder, 'index.html')
  if (!existsSync(page)) return null
  return /data-build="([^"]+)"/.exec(readFileSync(page, 'utf8'))?.[1] ?? null
}

/** Registers the app's page and files; returns null if there is no build. */
export async function mountWebApp(
  app: FastifyInstance,
  { externalUrl, aggregatorLinkUrl, folder = built }: WebAppDeps,
): Promise<WebApp | null> {
  if (folder === null || !existsSync(join(folder, 'index.html'))) return null
  const base = externalUrl === '' ? '/' : new URL(externalUrl).pathname.replace(/\/*$/, '/')
  const files = Object.entries(rootFiles).filter(([name]) => existsSync(join(folder, name)))
  // Absolute URLs, as relative ones would depend on the depth of a screen's path. Read per request
  // (20 µs), so that the page of a new build names its own files.
  const read = (name: string) =>
    readFileSync(join(folder, name), 'utf8').replaceAll('="./', `="${base}`)
  const send = (reply: FastifyReply, page: { csp: string; html: string }) =>
    reply
      .code(200)
      .headers({ 'content-security-policy': page.csp, 'content-type': 'text/html; charset=utf-8' })
      .send(page.html)
  const sendPage: WebApp['sendPage'] = (reply) =>
    send(reply, { csp: policy, html: withCookie(read('index.html'), reply.request) })
  app.route({ method: ['GET', 'HEAD'], url: '/', handler: (_, reply) => sendPage(reply) })
  const { policy: csp, fill } = connectPage(aggregatorLinkUrl)
  for (const url of connectPaths) {
    const handler = (_: FastifyRequest, reply: FastifyReply) =>
      send(reply, { csp, html: fill(read('connect.html')) })
    app.route({ method: ['GET', 'HEAD'], url, handler })
  }
  for (const [name, type] of files) {
    const body = readFileSync(join(folder, name))
    const headers = { 'content-type': type, 'cache-control': 'max-age=86400' }
    const handler = (_: FastifyRequest, reply: FastifyReply) => reply.headers(headers).send(body)
    app.route({ method: ['GET', 'HEAD'], url: `/${name}`, handler })
  }
  if (existsSync(join(folder, workerFile))) {
    // Read per request like the page, so that both are of the same build.
    const handler = (_: FastifyRequest, reply: FastifyReply) =>
      reply.headers(workerHeaders).send(readFileSync(join(folder, workerFile)))
    app.route({ method: ['GET', 'HEAD'], url: `/${workerFile}`, handler })
    files.push([workerFile, workerHeaders['content-type']])
  }
  await app.register(staticFiles, {
    root: join(folder, 'assets'),
    prefix: '/assets/',
    index: false,
    preCompressed: true,
    decorateReply: false,
    cacheControl: false,
    // Immutable, because the file names contain a hash of the content (RFC 8246).
    setHeaders: (reply) => {
      reply.headers({
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
      })
    },
  })
  const paths = ['/', ...files.map(([name]) => `/${name}`), '/assets/:name', ...connectPaths]
  return {
    routes: paths.map((path) => ({ method: 'GET', path })),
    isScreen: ({ method, url, headers }) => {
      const isRead = method === 'GET' || method === 'HEAD'
      const path = url.split('?', 1)[0] ?? ''
      return isRead && !foreign.test(path) && (headers.accept ?? '').includes('text/html')
    },
    sendPage,
  }
}

/**
 * Marks in the page whether its request had a cookie: with one, `early.ts` requests answers at
 * once.
 */
function withCookie(page: string, { headers }: FastifyRequest): string {
  return headers.cookie ? page.replace('data-cookie="no"', 'data-cookie="yes"') : page
}
