import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { type File, isCode, isTest } from './files.ts'
import { type Module, resolve } from './modules.ts'

const readmeLinesMax = 120

/** Rooms of kit, with the largest number of values that each exports. */
const kitExportsMax: Record<string, number> = {
  accounts: 10,
  database: 57,
  events: 13,
  http: 5,
  rpc: 50,
  reasons: 14,
  secrets: 0,
  service: 15,
  telemetry: 15,
  values: 45,
  workflows: 10,
}

/** A package of the workspace. `directory` is '' for the root package. */
export interface Package {
  directory: string
  name: string
  dependencies: string[]
  scripts: string
}

/** Parses a package.json. */
export function parsePackage(manifest: File): Package {
  const json = JSON.parse(manifest.text)
  return {
    directory: manifest.path.replace(/\/?package\.json$/, ''),
    name: json.name,
    dependencies: Object.keys({ ...json.dependencies, ...json.devDependencies }),
    scripts: Object.values(json.scripts ?? {}).join(' '),
  }
}

/** Returns imports of undeclared packages, of files in other packages, and of missing files. */
export function badImports(modules: Module[], packages: Package[]): string[] {
  const paths = new Set(modules.map((module) => module.path))
  const shared = packages.find(({ directory }) => directory === '')?.dependencies ?? []
  return modules.flatMap((module) => {
    const owner = ownerOf(module.path, packages)
    const declared = [...(owner?.dependencies ?? []), ...(isTest(module.path) ? shared : [])]
    return module.imports.flatMap(({ specifier, line }) => {
      const target = resolve(module.path, specifier)
      const fault =
        specifier.startsWith('.') && target !== null
          ? relativeFault(target, owner?.directory ?? '', paths)
          : libraryFault(specifier, declared)
      return fault === null ? [] : [`${module.path}:${line}: ${specifier} ${fault}`]
    })
  })
}

/** Packages that another one loads by name: the compiler of React, by the plugin of Vite. */
const loadedByName = ['oxc-transform-react']

/**
 * Returns dependencies that no file of their package imports, nor the package that they type. Skips
 * packages without code.
 */
export function idleDependencies(modules: Module[], packages: Package[]): string[] {
  return packages.flatMap((one) => {
    const own = modules.filter(({ path }) => ownerOf(path, packages) === one)
    if (!own.some(({ path }) => path.startsWith(`${one.directory}/src/`))) return []
    const named = own.flatMap(({ imports, mentions }) => [
      ...imports.map((each) => packageOf(each.specifier)),
      ...mentions.map(packageOf),
    ])
    const used = new Set([...named, ...named.map((name) => `@types/${name}`), ...loadedByName])
    const idle = one.dependencies.filter((name) => !used.has(name))
    return idle.map((name) => `${one.directory}/package.json: nothing imports ${name}`)
  })
}

/** Returns packages that have code but no README, or a README of more than 120 lines. */
export function readmeFaults(files: File[], packages: Package[]): string[] {
  const code = files.filter(isCode)
  const withCode = packages.filter((one) => {
    return one.directory !== '' && code.some(({ path }) => ownerOf(path, packages) === one)
  })
  return withCode.flatMap(({ directory }) => {
    const readme = files.find(({ path }) => path === `${directory}/README.md`)
    if (readme === undefined) return [`${directory}/README.md is missing`]
    const lines = readme.text.trimEnd().split('\n').length
    return lines > readmeLinesMax ? [`${readme.path}: ${lines} lines`] : []
  })
}

/**
 * Returns faults of the package kit: rooms that are not listed, or export more values than their
 * maximum, and imports of the package host. kit has only code that a service or the gateway
 * imports; host has the code that runs a service. Exports count, not lines: they are what a reader
 * of the services must know.
 */
export function kitFaults(modules: Module[]): string[] {
  const counts = new Map<string, number>()
  for (const { path, exports } of modules) {
    const [, room] = /^services\/kit\/src\/([^/]+)/.exec(path) ?? []
    if (room === undefined || isTest(path)) continue
    counts.set(room, (counts.get(room) ?? 0) + exports.length)
  }
  const wide = [...counts].flatMap(([room, count]) => {
    const max = kitExportsMax[room]
    if (max === undefined) return [`services/kit/src/${room} is no room of kit`]
    return count > max ? [`services/kit/src/${room}: ${count} exports, of ${max} at most`] : []
  })
  const code = modules.filter(({ path }) => /^services\/kit\/(src|testing)\//.test(path))
  const ofHost = code.flatMap(({ path, imports }) => {
    const named = imports.filter(({ specifier }) => specifier.startsWith('@coffer/host/'))
    return named.map(({ specifier, line }) => `${path}:${line}: ${specifier} belongs to the host`)
  })
  return [...wide, ...ofHost]
}

function ownerOf(path: string, packages: Package[]): Package | undefined {
  const inside = packages.filter(({ directory }) => {
    return directory === '' || path.startsWith(`${directory}/`)
  })
  return inside.sort((a, b) => b.directory.length - a.directory.length)[0]
}

function packageOf(specifier: string): string {
  const parts = specifier.split('/')
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}

function libraryFault(specifier: string, declared: string[]): string | null {
  if (isBuiltin(specifier)) return specifier.startsWith('node:') ? null : 'wants the node: prefix'
  return declared.includes(packageOf(specifier)) ? null : 'is not in package.json'
}

function relativeFault(target: string, directory: string, paths: Set<string>): string | null {
  if (directory !== '' && !target.startsWith(`${directory}/`)) return 'leaves the package'
  // Generated code is not among the files that people write.
  const isOther = /\.(json|css)$/.test(target) || target.includes('/gen/')
  return paths.has(target) || isOther ? null : 'is not there'
}

/**
 * Returns links of pnpm-lock.yaml between packages that lead to no package. An install accepts
 * them, and the package is then found only while a folder above has it, which the image lacks.
 */
export function lostLinks(lockfile: string, packages: Package[]): string[] {
  const directories = packages.map(({ directory }) => directory)
  let importer = ''
  return lockfile.split('\n').flatMap((line) => {
    importer = /^ {2}(\S+):$/.exec(line)?.[1] ?? importer
    const link = /^ {8}version: link:(\S+)$/.exec(line)?.[1]
    if (link === undefined || directories.includes(posix.join(importer, link))) return []
    return [`${importer}: link:${link} leads to no package`]
  })
}
