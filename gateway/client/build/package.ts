import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

// Builds the package for npm in .coffer/package: JavaScript and declarations of src/ and gen/.
const root = join(import.meta.dirname, '..')
const target = join(root, '.coffer/package')

rmSync(target, { recursive: true, force: true })
emit()
writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
cpSync(join(root, 'README.md'), join(target, 'README.md'))

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

function manifest(): object {
  const { name, version, description, keywords, type, sideEffects, engines } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const exported = (file: string) => ({ types: `./${file}.d.ts`, default: `./${file}.js` })
  return {
    name,
    version,
    description,
    keywords,
    type,
    sideEffects,
    engines,
    exports: { '.': exported('src/client'), './types': exported('gen/types.gen') },
    files: ['src', 'gen'],
  }
}
