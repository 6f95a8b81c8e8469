import { randomUUID } from 'node:crypto'
import { say } from '@coffer/kit/reasons/reasons'
import { unavailable } from '@coffer/kit/rpc/errors'
import type { Log } from '@coffer/kit/service/log'
import { startWorkers, type WorkersOptions } from '@coffer/kit/service/workers'
import { isTracing } from '@coffer/kit/telemetry/trace'
import compress from '@fastify/compress'
import cookies from '@fastify/cookie'
import cors from '@fastify/cors'
import multipart from '@fastify/multipart'
import rateLimit from '@fastify/rate-limit'
import websocket from '@fastify/websocket'
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify'
import { limitAttempts } from './auth/attempts.ts'
import { sessionCookie } from './auth/cookie.ts'
import { createOrigins, type Origins } from './auth/origins.ts'
import { createRequestBudget } from './auth/request-budget.ts'
import { createSessions } from './auth/session.ts'
import type { AppDeps, RouteDeps } from './deps.ts'
import { bodySizeMax } from './http/bodies/body-bounds.ts'
import { formLimits } from './http/bodies/form.ts'
import { compression } from './http/compression.ts'
import { createConcurrencyLimiter } from './http/concurrency-limiter.ts'
import { createVersionTag } from './http/conditional-request.ts'
import { tooManyRequests } from './http/errors/errors.ts'
import { createErrorRenderer } from './http/errors/problem-details.ts'
import type { Route } from './http/route.ts'
import { openapi } from './openapi/document.ts'
import { landingPage } from './pages/landing-page.ts'
import { mailRequestPages } from './pages/mail-request-pages.ts'
import { mailedLinkPages } from './pages/mailed-link-pages.ts'
import { mountPages } from './pages/pages.ts'
import { mountReference } from './reference/reference.ts'
import { createRoutes } from './routes.ts'
import { type AccessLog, createAccessLog } from './server/access-log.ts'
import { answerError } from './server/error-answer.ts'
import { mount } from './server/mount.ts'
import { protocolErrors } from './server/protocol-errors.ts'
import { traceRequest } from './server/request-span.ts'
import { refuseOthers } from './server/unknown-paths.ts'
import { createHandshakeCheck } from './sockets/handshake.ts'
import { createSockets } from './sockets/sockets.ts'
import { mountWebApp, readBuild } from './web/web-app.ts'

/** Timeouts and sizes of HTTP requests (docs/limits.md). The timeouts do not end WebSockets. */
const serverOptions = {
  bodyLimit: bodySizeMax,
  requestTimeout: 30_000,
  keepAliveTimeout: 120_000,
  // Node.js checks for late requests at this interval; its default of 30 s would end them late.
  http: { headersTimeout: 5_000, requireHostHeader: false, connectionsCheckingInterval: 1_000 },
  forceCloseConnections: 'idle',
  // Lame duck: a stopping server still answers requests, with `Connection: close`.
  return503OnClosing: false,
  exposeHeadRoutes: false,
  requestIdHeader: false,
  routerOptions: { maxParamLength: 16_384 },
} as const

const noRateHeaders = {
  'x-ratelimit-limit': false,
  'x-ratelimit-remaining': false,
  'x-ratelimit-reset': false,
}

/** CORS for pages of the configured origins (docs/api.md#browsers-origins-and-cors). */
const corsOptions = {
  credentials: true,
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: [
    'Authorization',
    'Coffer-User',
    'Content-Type',
    'Idempotency-Key',
    'If-Match',
    'If-None-Match',
    'Traceparent',
    'X-Request-Id',
  ],
  exposedHeaders: [
    'Allow',
    'Coffer-Recalculation',
    'Content-Disposition',
    'ETag',
    'Idempotency-Replayed',
    'Link',
    'RateLimit',
    'RateLimit-Policy',
    'Retry-After',
    'X-Request-Id',
  ],
  maxAge: 600,
  strictPreflight: false,
}

/** Worker thread for charts, one per process: a chart takes 10 ms, the first one 100 ms. */
const drawing: WorkersOptions<string> = {
  module: new URL('./charts/forecast-chart.worker.ts', import.meta.url),
  threadsMax: 1,
  queueMax: 20,
  waitTimeoutMs: 2_000,
  taskTimeoutMs: 10_000,
  memoryMaxMb: 256,
  exceeded: () => {
    throw unavailable(say('FORECAST_CHART_SLOW'))
  },
}

/** Limits of concurrent file uploads: each upload keeps a connection to the ledger. */
const fileLimits = {
  max: 100,
  perAccountMax: 10,
  text: say('TOO_MANY_FILES'),
}

/** Returns the HTTP application; it does not listen yet. Closing it ends its worker threads. */
export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const { config, log } = deps
  const { trustedProxies } = config
  const cookie = sessionCookie(config)
  const build = readBuild(deps.webFolder)
  const secure = securityHeaders(config, build)
  const render = createErrorRenderer(config)
  const protocol = protocolErrors(secure, render)
  const logAccess = createAccessLog(log)
  const sessions = createSessions(deps)
  const charts: RouteDeps['charts'] = startWorkers({ ...drawing, ...deps.drawing })
  let routes: Route[] = []
  const versionTag = createVersionTag(config, () => openapi(routes, config))
  const routeDeps = { ...deps, cookie, sessions, charts, versionTag }
  routes = createRoutes(routeDeps)
  const byOperation = new Map(routes.map((one) => [`${one.method} ${one.path}`, one]))
  const answering = { log, cookie, render, byOperation }
  const isHandshake = createHandshakeCheck(routes)
  const app = fastify({
    ...serverOptions,
    http: { ...serverOptions.http, shouldUpgradeCallback: isHandshake },
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    genReqId: ({ headers }) => requestIdOf(headers['x-request-id']),
    clientErrorHandler: protocol.answer,
    frameworkErrors: (error, request, reply) => {
      reply.headers(secure).header('x-request-id', request.id)
      logAccess(request, reply)
      // Fastify runs no hooks for router errors, so the `onSend` hook below does not close a
      // refused upgrade.
      if (request.headers.upgrade) closeAfter(reply)
      return answerError({ error, request, reply, ...answering })
    },
  })
  if (isTracing()) app.addHook('onRequest', traceRequest)
  app.decorateRequest('admission', null)
  addHeaders(app, secure, logAccess)
  app.setErrorHandler((error, request, reply) =>
    answerError({ error, request, reply, ...answering }),
  )
  const origins = createOrigins(config)
  await addPlugins(app, config, origins)
  protocol.register(app)
  warnOfUntrustedProxy(app, log)
  const sockets = createSockets(config, origins)
  const files = createConcurrencyLimiter(fileLimits)
  const attempts = limitAttempts({ ...deps, sessions })
  app.addHook('onClose', () => charts[Symbol.asyncDispose]())
  const budget = createRequestBudget({ ...deps, sessions })
  const admitting = { config, sessions, cookie, origins, budget, build }
  const reads = new Map(routes.filter(isGet).map((one) => [one.path, one]))
  const mounting = { ...admitting, sockets, files, attempts, versionTag, reads }
  for (const route of routes) if (!route.file) mount(app, route, mounting)
  await app.register(async (forms) => {
    await readForms(forms)
    for (const route of routes) if (route.file) mount(forms, route, mounting)
  })
  const { externalUrl, aggregatorLinkUrl } = config
  const web = await mountWebApp(app, { externalUrl, aggregatorLinkUrl, folder: deps.webFolder })
  const start = web === null ? [landingPage] : []
  const pages = [...start, ...mailedLinkPages(routeDeps), ...mailRequestPages(routeDeps)]
  mountPages(app, pages, { log, origins, sessions, attempts })
  const reference = mountReference(app, { externalUrl, document: () => openapi(routes, config) })
  refuseOthers(app, [...routes, ...pages, ...reference, ...(web?.routes ?? [])], web)
  return app
}

/** Adds the headers of every answer, and its line in the access log. */
function addHeaders(
  app: FastifyInstance,
  secure: Record<string, string>,
  logAccess: AccessLog,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(secure).header('x-request-id', request.id)
    logAccess(request, reply)
    done()
  })
  app.addHook('onSend', ({ headers: { upgrade } }, reply, _payload, done) => {
    // Closes the connection of a request with `Upgrade`: after a refused upgrade, the WebSocket
    // plugin destroys it anyway; after an ignored one, Node has dropped bytes of the next request.
    if (upgrade !== undefined && !reply.hasHeader('connection')) reply.header('connection', 'close')
    done()
  })
}

function isGet({ method }: Route): boolean {
  return method === 'GET'
}

async function addPlugins(
  app: FastifyInstance,
  { allowedOrigins, requestLimitPerSecond }: AppDeps['config'],
  { isListed }: Origins,
): Promise<void> {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.addContentTypeParser('multipart/form-data', leaveBody)
  if (allowedOrigins.length > 0) {
    const origin = async (sent: string | undefined) => isListed(sent)
    await app.register(cors, { ...corsOptions, origin })
  }
  await app.register(compress, compression)
  await app.register(cookies, { hook: false })
  await app.register(websocket, { options: { maxPayload: 1024 } })
  if (requestLimitPerSecond === 0) return
  await app.register(rateLimit, {
    global: false,
    max: requestLimitPerSecond,
    timeWindow: '1 second',
    // No headers with the state of this limit: `RateLimit` has that of the budgets
    // (docs/limits.md).
    addHeadersOnExceeding: noRateHeaders,
    addHeaders: { ...noRateHeaders, 'retry-after': true },
    errorResponseBuilder: tooManyRequests,
  })
  app.addHook('onRequest', app.rateLimit())
}

/** Leaves a form unread: routes that take none refuse it. */
function leaveBody(_request: unknown, _body: unknown, done: (error: null) => void): void {
  done(null)
}

/** Adds the reader of forms to routes that take one: it runs hooks at each of their requests. */
async function readForms(app: FastifyInstance): Promise<void> {
  app.removeContentTypeParser('multipart/form-data')
  await app.register(multipart, { limits: formLimits, throwFileSizeLimit: true })
}

/**
 * Logs one warning, at the first `X-Forwarded-For` from a peer that is not trusted. All clients
 * behind an untrusted proxy share its address, and so its rate limits.
 */
function warnOfUntrustedProxy(app: FastifyInstance, log: Log): void {
  let hasWarned = false
  app.addHook('onRequest', (request, _reply, done) => {
    const isForwarded = !hasWarned && request.headers['x-forwarded-for'] !== undefined
    if (isForwarded && (request.ips?.length ?? 0) <= 1) {
      hasWarned = true
      log.warn(
        { peer: request.socket.remoteAddress },
        'X-Forwarded-For of a peer that is not in COFFER_TRUSTED_PROXIES is ignored: ' +
          'its clients share one address and its limits',
      )
    }
    done()
  })
}

function closeAfter(reply: FastifyReply): void {
  reply.header('connection', 'close')
  reply.raw.once('finish', () => reply.request.raw.socket.end())
}

function requestIdOf(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && /^[\w.:-]{1,128}$/.test(sent) ? sent : `req_${randomUUID()}`
}

/** Returns the headers of every answer (docs/api.md#headers-of-every-answer). */
function securityHeaders(
  { externalUrl }: { externalUrl: string },
  build: string | null,
): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...(externalUrl.startsWith('https://')
      ? { 'strict-transport-security': 'max-age=31536000' }
      : {}),
    ...(build === null ? {} : { 'coffer-build': build }),
  }
}
