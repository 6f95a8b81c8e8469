import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ownModules = fileURLToPath(new URL('../../node_modules', import.meta.url))
const cacheFolder = join(ownModules, '.cache/workflows')
const kitModules = new URL('../../../../services/kit/src/', import.meta.url)

// Matches imports and re-exports, except imports of types.
const importText = /^(?:import|export)\s+(?!type\b)[^'"]*?from\s+'([^']+)'/gm

/** Text of each module read so far, and the imported packages: the input of the cache key. */
type Reading = { seen: Map<string, string>; bare: Set<string> }

/** Options of a bundle. */
export interface BundleOptions {
  /** Cache folder. Its files are executed, so it needs the same protection as the code. */
  folder?: string
  build?: (workflows: URL[]) => Promise<string>
}

/**
 * Returns the code of workflow modules (`*.workflow.ts`) as one bundle. Building takes longer than
 * the rest of a start, so the bundle is cached. The cache key covers the modules and all their
 * imports.
 */
export async function workflowBundle(
  workflows: URL[],
  { folder = cacheFolder, build = buildBundle }: BundleOptions = {},
): Promise<{ code: string }> {
  const names = createHash('sha256').update(workflows.map(String).join('\n')).digest('hex')
  const path = join(folder, `${names.slice(0, 16)}.js`)
  const key = await keyOf(workflows)
  const kept = await readFile(path, 'utf8').catch(() => '')
  const head = `// ${key}\n`
  if (kept.startsWith(head)) return { code: kept.slice(head.length) }
  const code = await build(workflows)
  await keep(path, folder, head + code)
  return { code }
}

/**
 * Writes the cache file. Without write access to the folder, the next start builds the bundle
 * again.
 */
async function keep(path: string, folder: string, text: string): Promise<void> {
  const unfinished = `${path}.${process.pid}`
  try {
    await mkdir(folder, { recursive: true })
    await writeFile(unfinished, text)
    await rename(unfinished, path)
  } catch {
    await rm(unfinished, { force: true }).catch(() => undefined)
  }
}

/** Returns the cache key: a hash of the modules, the package paths and the version of Node. */
async function keyOf(workflows: URL[]): Promise<string> {
  const reading: Reading = { seen: new Map(), bare: new Set(['@temporalio/workflow']) }
  for (const url of workflows) await read(url, reading)
  const hash = createHash('sha256').update(process.version)
  for (const name of [...reading.bare].sort()) hash.update(`\0${name} ${packagePath(name)}`)
  for (const [name, text] of [...reading.seen].sort()) hash.update(`\0${name} ${text}`)
  return hash.digest('hex')
}

async function read(url: URL, reading: Reading): Promise<void> {
  if (reading.seen.has(url.href)) return
  const text = await readFile(url, 'utf8')
  reading.seen.set(url.href, text)
  for (const [, specifier = ''] of text.matchAll(importText)) {
    const own = /^@coffer\/kit\/(.+)$/.exec(specifier)?.[1]
    if (own !== undefined) await read(new URL(`${own}.ts`, kitModules), reading)
    else if (specifier.startsWith('.')) await read(new URL(specifier, url), reading)
    else reading.bare.add(specifier)
  }
}

/** Returns the path of an installed package, which contains its version. */
function packagePath(specifier: string): string {
  try {
    return createRequire(import.meta.url).resolve(specifier)
  } catch {
    return specifier
  }
}

const buildTimeoutMs = 240_000

/** Builds the bundle in a child process (see workflow-bundler.ts). */
function buildBundle(workflows: URL[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const builder = fork(new URL('./workflow-bundler.ts', import.meta.url), workflows.map(String), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    timeout: buildTimeoutMs,
  })
  builder.once('message', (code) => resolve(String(code)))
  builder.once('error', reject)
  // `close` is emitted after the last message; `exit` may be emitted before it.
  builder.once('close', (code, signal) => {
    reject(new Error(`workflows could not be bundled (${signal ?? code})`))
  })
  return promise
}
