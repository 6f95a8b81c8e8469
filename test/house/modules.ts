import { basename, dirname, join, normalize } from 'node:path'
import { type Directive, parseSync, type Statement, Visitor } from 'oxc-parser'
import { type File, workspaceDirectories } from './files.ts'

// A package has the name of its directory, after the scope.
const directories = new Map(workspaceDirectories().map((path) => [basename(path), path]))

/** An import of a file. `names` is `'all'` if the importing file can use every export. */
export interface Import {
  specifier: string
  names: string[] | 'all'
  line: number
}

/** Imports and exports of one code file. */
export interface Module {
  path: string
  imports: Import[]
  /** String literals that may be paths of worker scripts, workflow bundles or test settings. */
  mentions: string[]
  /** Names of exported values, without types. */
  exports: string[]
  hasDefaultExport: boolean
  /** Whether the file only re-exports other files. */
  isBarrel: boolean
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** Parses a file of code. @throws {Error} when the file does not parse */
export function parseModule({ path, text }: File): Module {
  const { program, module, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  const entries = module.staticExports.flatMap((one) => one.entries)
  const own = entries.filter((entry) => entry.moduleRequest === null && !entry.isType)
  const mentions: string[] = []
  const dynamic: Import[] = []
  new Visitor({
    Literal: (node) => {
      if (typeof node.value === 'string') mentions.push(node.value)
    },
    ImportExpression: ({ source, start }) => {
      if (source.type !== 'Literal' || typeof source.value !== 'string') return
      dynamic.push({ specifier: source.value, names: 'all', line: lineAt(text, start) })
    },
  }).visit(program)
  const fixed = module.staticImports.map((one) => {
    const whole = one.entries.some((entry) => entry.importName.kind === 'NamespaceObject')
    const names = one.entries.map((entry) => entry.importName.name ?? 'default')
    const line = lineAt(text, one.start)
    return { specifier: one.moduleRequest.value, names: whole ? ('all' as const) : names, line }
  })
  const passedOn = entries.flatMap(({ moduleRequest, importName, start }) => {
    if (moduleRequest === null) return []
    const names = importName.name === null ? ('all' as const) : [importName.name]
    return [{ specifier: moduleRequest.value, names, line: lineAt(text, start) }]
  })
  return {
    path,
    imports: [...fixed, ...passedOn, ...dynamic],
    mentions,
    exports: own.map((entry) => entry.exportName.name ?? 'default'),
    hasDefaultExport: entries.some(({ exportName }) => {
      return exportName.kind === 'Default' || exportName.name === 'default'
    }),
    isBarrel: entries.length > 0 && program.body.every(passesOn),
  }
}

function passesOn(node: Statement | Directive): boolean {
  if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return true
  return node.type === 'ExportNamedDeclaration' && node.declaration === null
}

/** Returns the path in the repository that an import specifier names; null for a library. */
export function resolve(from: string, specifier: string): string | null {
  // The bundler of the app takes a query, such as `?worker`.
  const [relative = ''] = specifier.split('?')
  if (relative.startsWith('.')) return normalize(join(dirname(from), relative))
  if (specifier === '@coffer/client') return 'gateway/client/src/client.ts'
  if (specifier.startsWith('<rootDir>/')) return specifier.slice('<rootDir>/'.length)
  const [, name = '', file = ''] = /^@coffer\/([a-z-]+)\/(.+)$/.exec(specifier) ?? []
  const directory = directories.get(name)
  if (directory === undefined || name === 'proto') return null
  if (/\.(ts|mjs)$/.test(file)) return `${directory}/${file}`
  if (name === 'client') return `${directory}/${file}.ts`
  return `${directory}/${file.startsWith('testing/') ? '' : 'src/'}${file}.ts`
}
