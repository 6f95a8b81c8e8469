import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FatalError } from '../bootstrap/fatal-error.mjs'
import { cacheDirectory, root } from '../bootstrap/paths.mjs'
import { run } from '../bootstrap/run.mjs'

/**
 * The former release: this version is an upgrade from it, can run beside it, and can be rolled back
 * to it.
 */
export interface FormerRelease {
  /** Full hash of the release's commit, from which its code is cloned. */
  commit: string
  version: string
  /** Version of Node that it runs under. */
  node: string
}

/** A clone of the repository, and the environment of Git. */
interface Repository {
  folder: string
  env: NodeJS.ProcessEnv
}

/** Reads the former release from `deploy/release/former.json`. */
export function formerRelease(): FormerRelease {
  return JSON.parse(readFileSync(join(root, 'deploy/release/former.json'), 'utf8'))
}

/**
 * Prepares the former release to run beside this version: unpacks its files into the machine's
 * cache, installs the packages of its own lock file, including its Node, and generates its code.
 * Skips steps that an earlier call has completed. Returns the paths of its Node and command.
 * @throws {FatalError} with the remedy when the repository's history lacks the commit
 */
export async function installFormerRelease(
  env: NodeJS.ProcessEnv,
): Promise<{ node: string; entry: string }> {
  const into = join(cacheDirectory(env), 'releases')
  const files = await unpackRelease(formerRelease().commit, { folder: root, env, into })
  await run(process.execPath, ['deploy/local/bootstrap.mjs', 'generate'], { cwd: files, env })
  return {
    node: join(files, 'node_modules/.bin/node'),
    entry: join(files, 'deploy/cli/src/coffer.ts'),
  }
}

/** Throws FatalError with the remedy when the repository's history lacks the commit. */
export async function requireCommit(commit: string, { folder, env }: Repository): Promise<void> {
  const git = (...args: string[]) => run('git', args, { cwd: folder, env })
  const shallow = await git('rev-parse', '--is-shallow-repository').catch(() => {
    throw new FatalError(`${folder} is no clone: the former release ${commit} is in Git's history.`)
  })
  await git('cat-file', '-e', `${commit}^{commit}`).catch(() => {
    const fetch = shallow.trim() === 'true' ? 'git fetch --unshallow' : `git fetch origin ${commit}`
    throw new FatalError(`This clone lacks the former release ${commit}: run "${fetch}".`)
  })
}

/**
 * Unpacks the files of a commit into `<into>/<commit>`, once; returns that folder.
 * @throws {FatalError} with the remedy when the repository's history lacks the commit
 */
export async function unpackRelease(
  commit: string,
  { folder, env, into }: Repository & { into: string },
): Promise<string> {
  const unpacked = join(into, commit)
  if (existsSync(unpacked)) return unpacked
  await requireCommit(commit, { folder, env })
  await mkdir(into, { recursive: true })
  const draft = await mkdtemp(`${unpacked}.`)
  try {
    const archive = join(draft, 'release.tar')
    const files = join(draft, 'files')
    await mkdir(files)
    await run('git', ['archive', '--format=tar', `--output=${archive}`, commit], {
      cwd: folder,
      env,
    })
    await run('tar', ['-xf', archive, '-C', files], { env })
    await rename(files, unpacked).catch((error) => {
      // No error if another process has unpacked the commit first.
      if (!existsSync(unpacked)) throw error
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  return unpacked
}
