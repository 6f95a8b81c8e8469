import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import ts from 'typescript'

// Builds the package for npm in .coffer/package: JavaScript and declarations of src/ and gen/.
const root = join(import.meta.dirname, '..')
const target = join(root, '.coffer/package')
const directory = 'gateway/client'
// With `--repository <url>`, the package names its repository, and its README links there.
const { repository } = parseArgs({ options: { repository: { type: 'string' } } }).values

rmSync(target, { recursive: true, force: true })
emit()
writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
writeFileSync(join(target, 'README.md'), readme())

function emit(): void {
  const program = ts.createProgram({
    rootNames: [join(root, 'src/client.ts'), join(root, 'gen/types.gen.ts')],
    options: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      types: [],
      strict: true,
      skipLibCheck: true,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      rootDir: root,
      outDir: target,
    },
  })
  const faults = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics]
  if (faults.length === 0) return
  throw new Error(
    ts.formatDiagnostics(faults, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: () => root,
      getNewLine: () => '\n',
    }),
  )
}

/** Returns the README without relative links: readers of the package have no other file. */
function readme(): string {
  const text = readFileSync(join(root, 'README.md'), 'utf8')
  return text.replaceAll(/\[([^\]]+)\]\((?:\.\.\/)+([^)]+)\)/g, (_, label, path) =>
    repository ? `[${label}](${repository}/blob/main/${path})` : label,
  )
}

function manifest(): object {
  const { name, version, license, description, keywords, type, sideEffects, engines } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const exported = (file: string) => ({ types: `./${file}.d.ts`, default: `./${file}.js` })
  return {
    name,
    version,
    license,
    ...(repository && { repository: { type: 'git', url: repository, directory } }),
    description,
    keywords,
    type,
    sideEffects,
    engines,
    exports: { '.': exported('src/client'), './types': exported('gen/types.gen') },
    files: ['src', 'gen'],
  }
}
