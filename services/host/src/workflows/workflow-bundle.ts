import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ownModules = fileURLToPath(new URL('../../node_modules', import.meta.url))
const cacheFolder = join(ownModules, '.cache/workflows')
const services = new URL('../../../', import.meta.url)
// Part of every bundle (workflow-bundler.ts).
const interceptors = new URL('./workflow-interceptors.ts', import.meta.url)
const kitModules = new URL('kit/src/', services)

// Matches imports and re-exports in TypeScript, except `import type`.
const importText = /^(?:import|export)\s+(?!type\b)[^'"]*?from\s+'([^']+)'/gm

/** Returns the workflow modules of all services, sorted by path. */
export function listWorkflows(): URL[] {
  const root = fileURLToPath(services)
  const paths = globSync('*/src/**/*.workflow.ts', { cwd: root }).sort()
  return paths.map((path) => pathToFileURL(join(root, path)))
}

/** Input of the cache key: modules read so far with their texts, and imported packages. */
type Reading = { seen: Map<string, string>; bare: Set<string> }

export interface BundleOptions {
  /** Folder of the cache. Its files are executed, so protect it like the code. */
  folder?: string
  build?: (workflows: URL[]) => Promise<string>
}

/**
 * Returns workflow modules (`*.workflow.ts`) as one bundle of code. Cached in a file, because
 * building takes longer than the rest of a process start. The cache key covers the modules and all
 * their imports.
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

/** Writes the cache file. If that fails, the next start builds the bundle again. */
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

/** Returns the cache key: a hash of modules, bundler, the packages' paths and Node's version. */
async function keyOf(workflows: URL[]): Promise<string> {
  const reading: Reading = { seen: new Map(), bare: new Set(['@temporalio/workflow']) }
  for (const url of [...workflows, interceptors]) await read(url, reading)
  const bundler = await readFile(new URL('./workflow-bundler.ts', import.meta.url))
  const hash = createHash('sha256').update(process.version).update(bundler)
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

/** Returns the path of an installed package's entry file, which contains the version (pnpm). */
function packagePath(specifier: string): string {
  try {
    return createRequire(import.meta.url).resolve(specifier)
  } catch {
    return specifier
  }
}

const buildTimeoutMs = 240_000

/** Builds the bundle in a child process (workflow-bundler.ts). */
function buildBundle(workflows: URL[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const builder = fork(new URL('./workflow-bundler.ts', import.meta.url), workflows.map(String), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    timeout: buildTimeoutMs,
  })
  builder.once('message', (code) => resolve(String(code)))
  builder.once('error', reject)
  // Waits for `close`, because `exit` may be emitted before the last message of the child.
  builder.once('close', (code, signal) => {
    reject(new Error(`workflows could not be bundled (${signal ?? code})`))
  })
  return promise
}
