// The service worker: opens the app without a network. The build strips the types and fills in the
// files (offline-files.ts). It answers for the page and its hashed files alone; requests of
// the API never pass through it, so streams, exports and uploads do not either.

interface Extendable {
  waitUntil: (work: Promise<unknown>) => void
}
interface Fetching {
  request: Request
  respondWith: (answer: Promise<Response>) => void
}
interface WorkerScope {
  registration: { scope: string }
  skipWaiting: () => Promise<void>
  addEventListener: {
    (type: 'install' | 'activate', hear: (event: Extendable) => void): void
    (type: 'fetch', hear: (event: Fetching) => void): void
  }
}

/** Files of this build, relative to the scope; the first is the script that its page names. */
const files: string[] = ['__FILES__']
const worker = globalThis as unknown as WorkerScope
const { scope } = worker.registration
const family = `coffer-app ${new URL(scope).pathname} `
const own = family + files[0]

/** Paths below the scope that are no screens: documents of their own, the API, probes, files. */
const foreign = new RegExp(
  '^(api|assets|password|verify|metrics|health\\w*|ready\\w*|live\\w*|links/connect)(/|$)' +
    '|^aggregator/|\\.\\w+$',
)

worker.addEventListener('install', (event) => event.waitUntil(store()))
worker.addEventListener('activate', (event) => event.waitUntil(removeOthers()))
worker.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request
  if (method !== 'GET' || !url.startsWith(scope)) return
  const path = url.slice(scope.length).split(/[?#]/, 1)[0] ?? ''
  if (mode === 'navigate') {
    if (!foreign.test(path)) event.respondWith(page(event.request))
  } else if (path.startsWith('assets/')) event.respondWith(file(event.request))
})

/** Stores the page and files of this build. Fails if the server has the page of another build. */
async function store(): Promise<void> {
  const answer = await fetch(scope, { cache: 'no-store', headers: { accept: 'text/html' } })
  const text = await answer.clone().text()
  if (!answer.ok || !text.includes(files[0] ?? '')) throw new Error('The page has another build')
  const cache = await caches.open(own)
  await cache.addAll(files.map((name) => scope + name))
  await cache.put(scope, answer)
  await worker.skipWaiting()
}

async function removeOthers(): Promise<void> {
  for (const name of await caches.keys()) {
    if (name.startsWith(family) && name !== own) await caches.delete(name)
  }
}

/**
 * Network first: a page from the cache while there is a server would be an old app. A proxy may
 * answer for a server that is away.
 */
async function page(request: Request): Promise<Response> {
  const answer = await fetch(request).catch(() => Response.error())
  const isAway = answer.type === 'error' || [502, 503, 504].includes(answer.status)
  const stored = isAway ? await (await caches.open(own)).match(scope) : undefined
  return stored ?? answer
}

/** Cache first: the name of a file has the hash of its content. */
async function file(request: Request): Promise<Response> {
  return (await (await caches.open(own)).match(request.url)) ?? (await fetch(request))
}
