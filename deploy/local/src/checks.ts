import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FatalError } from '../bootstrap/fatal-error.mjs'
import { root, withWorkspaceCommands } from '../bootstrap/paths.mjs'
import type { Progress } from '../bootstrap/progress.mjs'
import { run } from '../bootstrap/run.mjs'
import { formerRelease, requireCommit } from './former-release.ts'

type Check = { name: string; work: () => Promise<unknown> }

/**
 * Runs the checks of lint, format, types and contracts concurrently. Prints the output of failed
 * checks, and returns their number. Their priority is the lowest, because tests run meanwhile.
 */
export async function runChecks(deps: { env: NodeJS.ProcessEnv; log: Progress }): Promise<number> {
  const env = withWorkspaceCommands(deps.env)
  const low = (command: string, args: string[], directory = '.') =>
    run('nice', ['-n', '19', command, ...args], { cwd: join(root, directory), env })
  const checks: Check[] = [
    { name: 'biome', work: () => low('biome', ['check', '--error-on-warnings', '.']) },
    // One checker thread: further threads repeat the checks of shared types.
    { name: 'tsc', work: () => low('tsc', ['--project', '.', '--checkers', '1']) },
    { name: 'buf lint', work: () => low('buf', ['lint'], 'proto') },
    { name: 'buf breaking', work: () => requireCompatibleContracts(env) },
  ]
  const failed = await Promise.all(checks.map((check) => fails(check, deps.log)))
  return failed.filter(Boolean).length
}

async function fails({ name, work }: Check, log: Progress): Promise<boolean> {
  try {
    await work()
    log.say('check', `${name}: fine`)
    return false
  } catch (error) {
    if (!(error instanceof FatalError)) throw error
    log.say('check', `${name}: FAILED\n${error.message}`)
    return true
  }
}

/** Runs `buf breaking` against the newest tag after the former release, or against that release. */
async function requireCompatibleContracts(env: NodeJS.ProcessEnv): Promise<void> {
  const git = (...args: string[]) => run('git', args, { cwd: root, env })
  const { commit } = formerRelease()
  await requireCommit(commit, { folder: root, env })
  const tags = await git('tag', '--list', 'v*', '--contains', commit, '--sort=-version:refname')
  const baseline = tags.split('\n')[0] || commit
  const directory = await mkdtemp(join(tmpdir(), 'coffer-contracts-'))
  try {
    const archive = join(directory, 'baseline.tar')
    await git('archive', '--format=tar', `--output=${archive}`, baseline, 'proto')
    const against = `${archive}#strip_components=1`
    await run('buf', ['breaking', '--against', against], { cwd: join(root, 'proto'), env })
  } finally {
    rmSync(directory, { recursive: true })
  }
}
