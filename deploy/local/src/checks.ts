import { existsSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FatalError } from '../bootstrap/fatal-error.mjs'
import { root, withWorkspaceCommands } from '../bootstrap/paths.mjs'
import type { Progress } from '../bootstrap/progress.mjs'
import { run } from '../bootstrap/run.mjs'
import { formerRelease, requireCommit } from './former-release.ts'

/**
 * A check: a command that runs in a folder of the repository. `command` is null for the comparison
 * of contracts (`requireCompatibleContracts`).
 */
type Check = { name: string; command: string[] | null; directory?: string }

/** Options of jest that take the next argument as their value. */
const valued = ['-t', '--testNamePattern', '-c', '--config']

const biome = ['biome', 'check', '--error-on-warnings']
// A configuration without the rules that read all files of the repository, which are slow.
const biomeOfPaths = [
  '--config-path=biome.path.json',
  '--files-ignore-unknown=true',
  '--no-errors-on-unmatched',
]

const houseRules = ['node', '--disable-warning=ExperimentalWarning', 'test/lint/check-files.ts']

const tsc = ['tsc', '--project', '.', '--checkers', '1', '--incremental', '--tsBuildInfoFile']
const kept = 'node_modules/.cache/types.json'

/**
 * Runs the checks of lint, format, types and contracts concurrently. Prints the output of failed
 * checks, and returns their number. With path patterns in `args`, the arguments of jest, lint and
 * format check only matching files, and contracts are checked only if a file in `proto/` matches.
 */
export async function runChecks(deps: {
  env: NodeJS.ProcessEnv
  log: Progress
  /** Arguments of jest, which runs concurrently. */
  args?: string[]
}): Promise<number> {
  const env = withWorkspaceCommands(deps.env)
  const { args, log } = deps
  const patterns = patternsOf(args ?? [])
  const list = ['ls-files', '--cached', '--others', '--exclude-standard']
  const listed = patterns.length > 0 ? await run('git', list, { cwd: root, env }) : ''
  const files = listed.split('\n').filter((file) => existsSync(join(root, file)))
  // Lowest priority, because a run of all tests is concurrent and takes longer than the checks.
  const isLow = args !== undefined && patterns.length === 0
  const low = isLow ? ['nice', '-n', '19'] : []
  const failed = plannedChecks(patterns, files).map((check) =>
    fails(check.name, log, () => {
      if (check.command === null) return requireCompatibleContracts(env)
      const [command = '', ...rest] = [...low, ...check.command]
      return run(command, rest, { cwd: join(root, check.directory ?? '.'), env })
    }),
  )
  return (await Promise.all(failed)).filter(Boolean).length
}

/** Returns the arguments of jest that are path patterns. */
export function patternsOf(args: string[]): string[] {
  return args.filter((one, at) => !(one.startsWith('-') || valued.includes(args[at - 1] ?? '')))
}

/**
 * Returns the checks of the files that match a pattern; without patterns, of all files. Types are
 * always checked as a whole, because a change may break files that import it.
 */
export function plannedChecks(patterns: string[], files: string[]): Check[] {
  const isWhole = patterns.length === 0
  // Like jest: regular expressions on absolute paths.
  const wanted = patterns.map((one) => new RegExp(one.replace(/^\.\//, ''), 'i'))
  const matched = files.filter((file) => wanted.some((one) => one.test(join(root, file))))
  const lint: Check[] = [
    { name: 'biome', command: [...biome, ...biomeOfPaths, ...matched] },
    { name: 'house rules', command: [...houseRules, ...matched] },
  ]
  const contracts: Check[] = [
    { name: 'buf lint', command: ['buf', 'lint'], directory: 'proto' },
    { name: 'buf breaking', command: null },
  ]
  return [
    ...(isWhole ? [{ name: 'biome', command: [...biome, '.'] }] : []),
    ...(matched.length > 0 ? lint : []),
    // One checker thread: further threads repeat the checks of shared types. Incremental: only
    // changed files, and those that use them, are checked again.
    { name: 'tsc', command: [...tsc, kept] },
    { name: 'tsc of the app', command: ['tsc', '--project', 'gateway/web', '--checkers', '1'] },
    ...(isWhole || matched.some((file) => file.startsWith('proto/')) ? contracts : []),
  ]
}

async function fails(name: string, log: Progress, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    log.say('check', `${name}: fine`)
    return false
  } catch (error) {
    if (!(error instanceof FatalError)) throw error
    // Shortens the command, which contains the path of every checked file.
    const text = error.message.replace(/^"(.{100}).+(?=" failed)/m, '"$1…')
    log.say('check', `${name}: FAILED\n${text}`)
    return true
  }
}

/**
 * Runs `buf breaking` against the newest tag that contains the former release; without a tag,
 * against that release.
 */
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
